using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>
/// Two rings with room for few entries, of which the kernel takes all, some or none, at random, and with most seeds none for good from some
/// moment on. Beside each other files are read and written in blocks and whole, reads of a silent pipe
/// are cancelled, and handles are closed by another thread. A program of its own.
/// </summary>
internal static class RingStorm
{
    private const int Block = 4096;
    private const int Blocks = 64;
    private const int Loops = 12;
    private const int Steps = 120;
    private const int SmallFiles = 40;

    private static readonly int[] Passing = [Errno.EAGAIN, Errno.EBUSY, Errno.ENOMEM];

    public static async Task<int> RunAsync(string folder, string fifo, int seed)
    {
        AppContext.SetData("Sluice.RingEntries", 8);
        AppContext.SetData("Sluice.Rings", 2);
        string path = Path.Combine(folder, "blocks");
        File.WriteAllBytes(path, [.. Enumerable.Range(0, Blocks).SelectMany(static i => Enumerable.Repeat((byte)i, Block))]);
        string[] small = [.. Enumerable.Range(0, SmallFiles).Select(i => Path.Combine(folder, $"small-{i}"))];
        for (int i = 0; i < small.Length; i++)
        {
            File.WriteAllBytes(small[i], [.. Enumerable.Repeat((byte)i, 500 + i)]);
        }

        SluiceEngines.Default.Name.ShouldBe("uring");
        Random chance = new(seed);
        int left = 3000 + chance.Next(6000);
        int percent = chance.Next(95);
        int end = chance.Next(3) switch { 0 => -Errno.EPERM, 1 => -Errno.EACCES, _ => 0 };
        SystemCallFaults.Use((call, _, length) =>
        {
            if (call is not ("io_uring_enter" or "io_uring_register"))
            {
                return 0;
            }

            if (Interlocked.Decrement(ref left) < 0 && end != 0)
            {
                return call == "io_uring_enter" || end == -Errno.EACCES ? end : 0;
            }

            int dice = Random.Shared.Next(100);
            return call == "io_uring_register" || dice >= percent ? 0
                : length > 1 && dice % 2 == 0 ? Random.Shared.Next(1, (int)length)
                : -Passing[dice % Passing.Length];
        });
        using SluiceHandle file =
            SluiceHandle.Open(path, new SluiceOptions { Access = FileAccess.ReadWrite, Caching = FileCaching.Direct });
        using SluiceHandle silent = SluiceHandle.Open(fifo, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        bool isOver = false;
        Task refuser = Task.Run(async () =>
        {
            // A blocking read of the pool's is not cancelled, nor is one of a ring where the kernel lets nobody do that: they are answered.
            while (!Volatile.Read(ref isOver))
            {
                await Task.Delay(20);
                if (end != 0 && Volatile.Read(ref left) < 0)
                {
                    silent.Write(new byte[16], 0);
                }
            }
        });
        await Watchdog.EndsAsync(
            () => Task.WhenAll(Enumerable.Range(0, Loops).Select(loop => Task.Run(() => (loop % 4) switch
            {
                0 => CancelAsync(silent, new Random(seed + loop)),
                1 => WriteAsync(file, loop, new Random(seed + loop)),
                2 => CloseAsync(path, new Random(seed + loop)),
                _ => ReadManyAsync(small),
            }))),
            $"seed {seed}, {percent} of 100, end {end}");
        Volatile.Write(ref isOver, true);
        await refuser;
        SystemCallFaults.Use(null);
        Console.WriteLine($"{percent} of 100, {left} left, {SluiceEngines.RingsDescription}");
        return 0;
    }

    private static async Task CancelAsync(SluiceHandle silent, Random random)
    {
        for (int i = 0; i < Steps; i++)
        {
            using CancellationTokenSource source = new();
            Task<int>[] reads =
                [.. Enumerable.Range(0, random.Next(1, 12)).Select(_ => silent.ReadAsync(new byte[1], 0, source.Token).AsTask())];
            if (random.Next(2) == 0)
            {
                await Task.Delay(random.Next(3));
            }

            source.Cancel();
            foreach (Task<int> read in reads)
            {
                try
                {
                    (await read).ShouldBe(1);
                }
                catch (OperationCanceledException)
                {
                    source.IsCancellationRequested.ShouldBeTrue();
                }
            }
        }
    }

    /// <summary>Each loop has blocks of its own.</summary>
    private static async Task WriteAsync(SluiceHandle file, int loop, Random random)
    {
        byte[] buffer = new byte[Block];
        byte[] back = new byte[Block];
        for (int i = 0; i < Steps; i++)
        {
            long block = random.Next(Blocks / Loops) * Loops + loop;
            buffer.AsSpan().Fill((byte)random.Next(256));
            await file.WriteAsync(buffer, block * Block);
            back.AsSpan().Fill((byte)~buffer[0]);
            (await file.ReadAsync(back, block * Block)).ShouldBe(Block);
            back.AsSpan().SequenceEqual(buffer).ShouldBeTrue();
        }
    }

    private static async Task CloseAsync(string path, Random random)
    {
        for (int i = 0; i < Steps; i++)
        {
            SluiceHandle file = SluiceHandle.Open(path, caching: FileCaching.Direct);
            byte[][] buffers = [.. Enumerable.Range(0, 6).Select(static _ => new byte[Block])];
            Task<int>[] reads = [.. buffers.Select((b, n) => file.ReadAsync(b, n * Loops * Block).AsTask())];
            Task closing = Task.Run(file.Dispose);
            if (random.Next(2) == 0)
            {
                await closing;
            }

            for (int n = 0; n < reads.Length; n++)
            {
                (await reads[n]).ShouldBe(Block);

                // Nobody writes to these.
                buffers[n].AsSpan().IndexOfAnyExcept((byte)(n * Loops)).ShouldBe(-1);
            }

            await closing;
        }
    }

    private static async Task ReadManyAsync(string[] small)
    {
        for (int i = 0; i < Steps / 4; i++)
        {
            int next = 0;
            await foreach (FileReadResult result in SluiceFile.ReadManyAsync(small))
            {
                result.GetContent().Length.ShouldBe(500 + next);
                result.GetContent().AsSpan().IndexOfAnyExcept((byte)next).ShouldBe(-1);
                next++;
            }
        }
    }
}
