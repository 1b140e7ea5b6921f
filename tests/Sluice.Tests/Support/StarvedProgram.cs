using Sluice.Testing;

namespace Sluice.Tests.Support;

/// <summary>Synchronous calls in a process whose pool has four threads, all of them busy until the end.</summary>
internal static class StarvedProgram
{
    /// <summary>0 when every call came back with the right bytes, 3 when one did not come back.</summary>
    public static int Run(string path)
    {
        MakeContinuationsLong(path).Wait();
        string step = "";
        using BusyPool pool = new(4, () => Volatile.Read(ref step));
        FaultyEngine faulty = new(new FaultPlan(7) { ShortTransfer = 0.2, Eintr = 0.2, Eagain = 0.2 });
        foreach (IoEngine? engine in (IoEngine?[])[null, SluiceEngines.Pool, faulty])
        {
            foreach (FileCaching caching in (FileCaching[])[FileCaching.Cached, FileCaching.Direct])
            {
                Volatile.Write(ref step, $"{engine?.Name ?? "own"} {caching}");
                Check(path,
                    new SluiceOptions { Mode = FileMode.Create, Access = FileAccess.ReadWrite, Caching = caching, Engine = engine });
            }

            Volatile.Write(ref step, $"{engine?.Name ?? "own"}, beside blocks");
            CheckBesideBlocks(path, engine);
            Volatile.Write(ref step, $"{engine?.Name ?? "own"}, sequential");
            CheckSequential(path, engine);
        }

        // Time passes for an engine in between although no thread of the pool comes. In a file of its own: what was begun above, and has
        // not been carried out, may come yet.
        Volatile.Write(ref step, "a slow engine");
        FaultyEngine slow = new(new FaultPlan(7) { Delay = 0.3, Reorder = 0.3, ShortTransfer = 0.1, MaxDelayMs = 2 });
        foreach (FileCaching caching in (FileCaching[])[FileCaching.Cached, FileCaching.Direct])
        {
            Check($"{path}-slow",
                new SluiceOptions { Mode = FileMode.Create, Access = FileAccess.ReadWrite, Caching = caching, Engine = slow });
        }

        CheckSequential($"{path}-slow", slow);
        slow.FaultCount.ShouldBeGreaterThan(20);

        Volatile.Write(ref step, "an engine that refuses");

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
        return 0;
    }

    /// <summary>While they are, few transfers are calls of the pool's threads; see <see cref="CheckBesideBlocks"/>.</summary>
    private static async Task MakeContinuationsLong(string path)
    {
        await File.WriteAllBytesAsync(path, new byte[4096]);
        using SluiceHandle handle = SluiceHandle.Open(path, caching: FileCaching.Direct);
        for (int i = 0; i < 100; i++)
        {
            await handle.ReadAsync(new byte[4096], 0);
            Thread.SpinWait(5_000);
        }
    }

    /// <summary>Parts of blocks, while whole blocks are on their way that no thread of the pool comes for.</summary>
    private static void CheckBesideBlocks(string path, IoEngine? engine)
    {
        const int block = 4096;
        SluiceHandle[] handles =
        [
            .. Enumerable.Range(0, 2).Select(_ => SluiceHandle.Open(path, new SluiceOptions
            {
                Mode = FileMode.OpenOrCreate,
                Access = FileAccess.ReadWrite,
                Share = FileShare.ReadWrite,
                Caching = FileCaching.Direct,
                Engine = engine,
            })),
        ];
        if (handles[0].Caching != FileCaching.Direct)
        {
            return;
        }

        handles[0].SetLength(64 * block);
        Task[] writes = [.. Enumerable.Range(0, 20).Select(i => handles[i % 2].WriteAsync(new byte[block], i * block).AsTask())];
        byte[] edge = Bytes.Pattern(2 * block);
        for (int i = 0; i < 10; i++)
        {
            handles[i % 2].Write(edge, (30 * block) + i);
        }

        handles[0].AppendAndGetOffset(edge).ShouldBe(64 * block);
        byte[] read = new byte[edge.Length];
        handles[1].Read(read, (30 * block) + 9).ShouldBe(edge.Length);
        read.ShouldBeBytes(edge);

        // With the pool they have not begun, and with rings their callers have not been told.
        writes.ShouldAllBe(w => !w.IsCompleted);
        Array.ForEach(handles, h => h.Dispose());
    }

    /// <summary>Readers and writers.</summary>
    private static void CheckSequential(string path, IoEngine? engine)
    {
        byte[] bytes = Bytes.Pattern(200_000);
        foreach (int offset in (int[])[0, 5])
        {
            string target = $"{path}-{offset}";
            SluiceHandle Open(FileMode mode, FileAccess access) => SluiceHandle.Open(target,
                new SluiceOptions { Mode = mode, Access = access, Caching = FileCaching.Direct, Engine = engine });
            SluiceWriterOptions writing = new() { Offset = offset, RequestSize = 4096, Depth = 4 };
            using (SluiceWriter writer = new(Open(FileMode.Create, FileAccess.Write), writing))
            {
                writer.Write(bytes);
                writer.Complete();
            }

            SluiceReaderOptions reading = new() { Offset = offset, RequestSize = 4096, Depth = 4 };
            using SluiceReader reader = new(Open(FileMode.Open, FileAccess.Read), reading);
            List<byte> read = [];
            while (reader.TryReadBlock(out ReadOnlySpan<byte> block))
            {
                read.AddRange(block);
            }

            read.ToArray().ShouldBeBytes(bytes);
        }
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
        handle.AppendAndGetOffset(bytes.AsSpan(0, 10)).ShouldBe(bytes.Length + 5);
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
