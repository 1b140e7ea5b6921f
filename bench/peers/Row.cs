using System.Diagnostics;

namespace Peers;

/// <summary>One comparison: the same appends by the same number of threads, Sluice and a peer in turns, each on a fresh folder.</summary>
internal sealed record Row(string Durability, string Name, int Threads, Func<string, Peer> Sluice, Func<string, Peer> Peer)
{
    public string Label => $"{Durability}: {Name}, {Threads}";

    /// <summary>Measures pairs of turns in the order b s s b and returns a row of a table.</summary>
    public string Measure(string folder, double seconds, int pairs)
    {
        List<Turn> ours = [];
        List<Turn> theirs = [];
        Run(Peer, folder, seconds / 2);
        Run(Sluice, folder, seconds / 2);
        for (int i = 0; i < pairs; i++)
        {
            bool peerFirst = i % 2 == 0;
            Turn first = Run(peerFirst ? Peer : Sluice, folder, seconds);
            Turn second = Run(peerFirst ? Sluice : Peer, folder, seconds);
            ours.Add(peerFirst ? second : first);
            theirs.Add(peerFirst ? first : second);
        }

        double[] ratios = [.. ours.Zip(theirs, static (o, t) => o.Rate / t.Rate).Order()];
        int cut = Excluded(pairs);
        string Both(Func<Turn, double> of, string format) => $"{Median(ours, of).ToString(format)}, {Median(theirs, of).ToString(format)}";
        return $"| {Durability}, {Name} | {Threads} | {Median(ours, static t => t.Rate):N0} | {Median(theirs, static t => t.Rate):N0} "
            + $"| {ratios[pairs / 2]:0.00} ({ratios[cut]:0.00}-{ratios[^(cut + 1)]:0.00}) "
            + $"| {Both(static t => t.P50, "0.#")} | {Both(static t => t.P99, "0.#")} | {Both(static t => t.Cpu, "0.0")} | {Both(static t => t.Written, "0")} |";
    }

    private static double Median(List<Turn> turns, Func<Turn, double> of) => turns.Select(of).Order().ElementAt(turns.Count / 2);

    /// <summary>Returns how many of the sorted ratios may be left out at each end so that the rest holds the median with 95 %.</summary>
    private static int Excluded(int pairs)
    {
        double tail = Math.Pow(0.5, pairs);
        double term = tail;
        int k = 0;
        for (; tail + (term *= (double)(pairs - k) / (k + 1)) <= 0.025; k++)
        {
            tail += term;
        }

        return k;
    }

    private Turn Run(Func<string, Peer> open, string folder, double seconds)
    {
        string place = Path.Combine(folder, "sluice-peers-" + Guid.NewGuid().ToString("N"));
        Directory.CreateDirectory(place);
        try
        {
            List<long>[] waits = new List<long>[Threads];
            TimeSpan took;
            TimeSpan cpu;
            long written;
            using (Peer peer = open(place))
            {
                peer.Append(0, 0);
                using ManualResetEventSlim go = new();
                long stopAt = 0;
                Thread[] threads = [.. Enumerable.Range(0, Threads).Select(i => new Thread(() =>
                {
                    List<long> mine = waits[i] = new(1 << 16);
                    go.Wait();
                    for (long start = Stopwatch.GetTimestamp(); start < stopAt;)
                    {
                        peer.Append(i, mine.Count);
                        long end = Stopwatch.GetTimestamp();
                        mine.Add(end - start);
                        start = end;
                    }
                }))];
                Array.ForEach(threads, static t => t.Start());
                written = BytesWritten();
                cpu = Environment.CpuUsage.TotalTime;
                long began = Stopwatch.GetTimestamp();
                stopAt = began + (long)(seconds * Stopwatch.Frequency);
                go.Set();
                Array.ForEach(threads, static t => t.Join());
                if (peer.ClosingCounts)
                {
                    peer.Dispose();
                }

                took = Stopwatch.GetElapsedTime(began);
                cpu = Environment.CpuUsage.TotalTime - cpu;
                written = BytesWritten() - written;
            }

            long[] all = [.. waits.SelectMany(static w => w).Order()];
            double microseconds = 1e6 / Stopwatch.Frequency;
            return new Turn(
                all.Length / took.TotalSeconds, all[all.Length / 2] * microseconds, all[(int)(all.Length * 0.99)] * microseconds,
                cpu.TotalMicroseconds / all.Length, (double)written / all.Length);
        }
        finally
        {
            Directory.Delete(place, recursive: true);
        }
    }

    /// <summary>Returns how many bytes this process has passed to write calls; 0 where the system does not count them.</summary>
    private static long BytesWritten() =>
        OperatingSystem.IsLinux()
            ? long.Parse(File.ReadLines("/proc/self/io").Single(static l => l.StartsWith("wchar: ", StringComparison.Ordinal))[7..])
            : 0;

    private sealed record Turn(double Rate, double P50, double P99, double Cpu, double Written);
}
