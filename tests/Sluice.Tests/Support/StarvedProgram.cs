using Sluice.Testing;

namespace Sluice.Tests.Support;

/// <summary>Synchronous calls in a process whose pool has four threads, all of them busy until the end.</summary>
internal static class StarvedProgram
{
    /// <summary>0 when every call came back with the right bytes, 3 when one did not come back.</summary>
    public static int Run(string path)
    {
        const int threads = 4;
        ThreadPool.SetMinThreads(threads, threads);
        ThreadPool.SetMaxThreads(Math.Max(threads, Environment.ProcessorCount), threads);
        ThreadPool.GetMaxThreads(out int most, out _);
        using var begun = new CountdownEvent(most);
        using var end = new ManualResetEventSlim();
        for (int i = 0; i < most; i++)
        {
            ThreadPool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    begun.Signal();
                    end.Wait();
                },
                null);
        }

        begun.Wait();
        var watch = new Thread(() =>
        {
            if (!end.Wait(TimeSpan.FromMinutes(1)))
            {
                Environment.Exit(3);
            }
        })
        {
            IsBackground = true,
        };
        watch.Start();
        FaultyEngine faulty = new(new FaultPlan(7) { ShortTransfer = 0.2, Eintr = 0.2, Eagain = 0.2 });
        foreach (IoEngine? engine in (IoEngine?[])[null, SluiceEngines.Pool, faulty])
        {
            foreach (FileCaching caching in (FileCaching[])[FileCaching.Cached, FileCaching.Direct])
            {
                Check(path,
                    new SluiceOptions { Mode = FileMode.Create, Access = FileAccess.ReadWrite, Caching = caching, Engine = engine });
            }
        }

        // What an engine in between refuses is the caller's own error, too.
        using SluiceHandle handle = SluiceHandle.Open(path, new SluiceOptions
        {
            Access = FileAccess.ReadWrite,
            Engine = new FaultyEngine(new FaultPlan(7) { Eio = 1 }),
        });
        Should.Throw<IOException>(() => handle.Read(new byte[10], 0)).Message.ShouldContain("at offset 0");
        Should.Throw<IOException>(() => handle.Write(new byte[10], 0));
        Should.Throw<IOException>(handle.FlushToDisk);
        faulty.FaultCount.ShouldBeGreaterThan(20);
        end.Set();
        return 0;
    }

    private static void Check(string path, SluiceOptions options)
    {
        const int count = 40;
        const int size = 700;
        using SluiceHandle handle = SluiceHandle.Open(path, options);
        byte[] bytes = Bytes.Pattern(count * size);
        ReadOnlyMemory<byte>[] written = [.. Enumerable.Range(0, count).Select(i => (ReadOnlyMemory<byte>)bytes.AsMemory(i * size, size))];
        handle.Write(written, 5);
        handle.WriteBatch([.. Enumerable.Range(0, count).Select(i => new WriteRequest(5 + (i * size), written[i]))]);
        handle.Write(bytes.AsSpan(0, 3), 5);
        handle.Append(bytes.AsSpan(0, 10)).ShouldBe(bytes.Length + 5);
        handle.FlushToDisk();
        Memory<byte>[] read = [.. Enumerable.Range(0, count).Select(_ => (Memory<byte>)new byte[size])];
        handle.Read(read, 5).ShouldBe(bytes.Length);
        ReadRequest[] requests = [.. Enumerable.Range(0, count).Select(i => new ReadRequest(5 + (i * size), new byte[size]))];
        handle.ReadBatch(requests);
        for (int i = 0; i < count; i++)
        {
            read[i].ShouldBeBytes(written[i].ToArray());
            requests[i].Buffer.ShouldBeBytes(written[i].ToArray());
        }

        byte[] one = new byte[bytes.Length];
        handle.Read(one, 5).ShouldBe(one.Length);
        one.ShouldBeBytes(bytes);
    }
}
