using System.Diagnostics;
using System.Globalization;
using FASTER.core;

namespace Sample.Device;

/// <summary>
/// Compares <see cref="SluiceDevice"/> with FASTER's ManagedLocalStorageDevice in seven rounds of four runs (base, Sluice, Sluice, base). A
/// row has the median of the rounds' ratios, and in parentheses the smallest and the largest. Above 1, Sluice is faster.
/// </summary>
internal static class Measurement
{
    private const int Rounds = 7;

    public static int Run(string folder)
    {
        Compare(folder, "500 commits of 200 B", FileCaching.Direct, Commit);
        Compare(folder, "load 1M records, checkpoint", FileCaching.Direct, Load);
        Compare(folder, "100,000 random reads, hot", FileCaching.Direct, Read);
        Compare(folder, "the same, Cached", FileCaching.Cached, Read);
        return 0;
    }

    private static void Compare(string folder, string row, FileCaching caching, Func<Func<string, IDevice>, string, double> run)
    {
        double Sluice() => RunIn(Path.Combine(folder, "sluice"), path => new SluiceDevice(path, caching));
        double Other() => RunIn(Path.Combine(folder, "managed"), static path => new ManagedLocalStorageDevice(path, osReadBuffering: true));
        double RunIn(string place, Func<string, IDevice> open)
        {
            _ = Directory.CreateDirectory(place);
            double time = run(open, place);
            Directory.Delete(place, recursive: true);
            return time;
        }

        _ = Other();
        _ = Sluice();
        double[] ratios = new double[Rounds];
        double[] seconds = new double[Rounds];
        for (int i = 0; i < Rounds; i++)
        {
            double other = Other();
            seconds[i] = Sluice() + Sluice();
            ratios[i] = (other + Other()) / seconds[i];
        }

        Array.Sort(ratios);
        Array.Sort(seconds);
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{row,-28} {ratios[Rounds / 2]:0.00} ({ratios[0]:0.00}-{ratios[^1]:0.00})  {seconds[Rounds / 2] / 2:0.000} s"));
    }

    private static double Commit(Func<string, IDevice> open, string folder)
    {
        using IDevice device = open(Path.Combine(folder, "log"));
        using FasterLog log = new(new FasterLogSettings { LogDevice = device, LogCommitDir = folder });
        byte[] entry = new byte[200];
        long began = Stopwatch.GetTimestamp();
        for (int i = 0; i < 500; i++)
        {
            _ = log.Enqueue(entry);
            log.Commit(spinWait: true);
        }

        return Stopwatch.GetElapsedTime(began).TotalSeconds;
    }

    private static double Load(Func<string, IDevice> open, string folder)
    {
        long began = Stopwatch.GetTimestamp();
        using Filled filled = new(open, folder, 1_000_000);
        _ = filled.Store.TakeFullCheckpointAsync(CheckpointType.FoldOver).AsTask().GetAwaiter().GetResult();
        return Stopwatch.GetElapsedTime(began).TotalSeconds;
    }

    private static double Read(Func<string, IDevice> open, string folder)
    {
        const int keys = 500_000;
        using Filled filled = new(open, folder, keys);
        using var session = filled.Store.NewSession(new SimpleFunctions<long, long>());
        Random random = new(1);
        for (long key = 0; key < keys; key += 100)
        {
            _ = session.Read(key);
        }

        _ = session.CompletePending(wait: true);
        long began = Stopwatch.GetTimestamp();
        for (int i = 0; i < 100_000; i++)
        {
            _ = session.Read(random.NextInt64(keys));
            if (i % 256 == 255)
            {
                _ = session.CompletePending(wait: true);
            }
        }

        _ = session.CompletePending(wait: true);
        return Stopwatch.GetElapsedTime(began).TotalSeconds;
    }

    /// <summary>A store with 1 MiB of memory, whose records are on the device.</summary>
    private sealed class Filled : IDisposable
    {
        private readonly IDevice _device;

        public Filled(Func<string, IDevice> open, string folder, int keys)
        {
            _device = open(Path.Combine(folder, "hlog"));
            Store = new FasterKV<long, long>(new FasterKVSettings<long, long>
            {
                IndexSize = 1L << 26,
                LogDevice = _device,
                PageSize = 1L << 16,
                MemorySize = 1L << 20,
                SegmentSize = 1L << 26,
                CheckpointDir = folder,
            });
            using var session = Store.NewSession(new SimpleFunctions<long, long>());
            for (long key = 0; key < keys; key++)
            {
                _ = session.Upsert(key, key);
            }

            _ = session.CompletePending(wait: true);
        }

        public FasterKV<long, long> Store { get; }

        public void Dispose()
        {
            Store.Dispose();
            _device.Dispose();
        }
    }
}
