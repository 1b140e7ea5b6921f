using System.Diagnostics;
using Sluice.Cli.Load;

namespace Sluice.Cli.Bench;

/// <summary>The loops of the contenders. Both sides run the same ones.</summary>
internal static class Loops
{
    // Reading the clock costs 1 to 2 % of a hot 4 KiB read, so that short operations read it only every 16th time.
    private const int ClockEvery = 16;

    public static Func<Slice, Task> Read(IoTarget target, int depth, int requestSizeBytes, RandomOffsets offsets) =>
        At(target, depth, requestSizeBytes, offsets, writes: false);

    public static Func<Slice, Task> Write(IoTarget target, int depth, int requestSizeBytes, RandomOffsets offsets) =>
        At(target, depth, requestSizeBytes, offsets, writes: true);

    private static Func<Slice, Task> At(IoTarget target, int depth, int requestSizeBytes, RandomOffsets offsets, bool writes)
    {
        // Operations at depth 1 are short. With a larger depth, the loop reads the clock after each operation.
        int burst = depth == 1 ? ClockEvery : 1;
        Memory<byte>[] buffers = Buffers(depth, requestSizeBytes);
        return slice => RunLoops(depth, async loop =>
        {
            Memory<byte> buffer = buffers[loop];
            do
            {
                for (int i = 0; i < burst; i++)
                {
                    long began = slice.Begin();
                    int transferred = buffer.Length;
                    if (writes)
                        await target.WriteAsync(buffer, offsets.Next(loop));
                    else
                        transferred = await target.ReadAsync(buffer, offsets.Next(loop));
                    slice.End(began);
                    RequireWhole(transferred, buffer.Length);
                    slice.Count(loop);
                }
            }
            while (!slice.IsOver);
        });
    }

    /// <exception cref="IOException">The read was short.</exception>
    public static void RequireWhole(int read, int requested)
    {
        if (read != requested)
            throw new IOException($"a read of {requested} bytes within a file gave {read}");
    }

    /// <summary>Continues at the end of a growing file. A full file ends the slice early, which does not change its rate.</summary>
    public static Func<Slice, Task> AppendAsync(IoTarget target, int requestSizeBytes, long limitBytes)
    {
        Memory<byte> buffer = PinnedBuffer.AllocateRandom(requestSizeBytes, seed: 1);
        return async slice =>
        {
            long offset = 0;
            do
            {
                for (int i = 0; i < ClockEvery; i++)
                {
                    long began = slice.Begin();
                    await target.WriteAsync(buffer, offset);
                    slice.End(began);
                    offset += buffer.Length;
                    slice.Count(0);
                }
            }
            while (!slice.IsOver && offset < limitBytes);
        };
    }

    /// <summary>
    /// Reads or writes a file from its start to its end, or to the end of the slice, with a number of outstanding requests. Units are
    /// bytes.
    /// </summary>
    public static Func<Slice, Task> InOrder(IoTarget target, int depth, int requestSizeBytes, long fileSizeBytes, bool writes)
    {
        Memory<byte>[] buffers = Buffers(depth, requestSizeBytes);
        return slice =>
        {
            long next = 0;
            return RunLoops(depth, async loop =>
            {
                long offset;
                while (!slice.IsOver && (offset = Interlocked.Add(ref next, requestSizeBytes)) <= fileSizeBytes)
                {
                    if (writes)
                        await target.WriteAsync(buffers[loop], offset - requestSizeBytes);
                    else
                        RequireWhole(await target.ReadAsync(buffers[loop], offset - requestSizeBytes), requestSizeBytes);
                    slice.Count(loop, requestSizeBytes);
                }
            });
        };
    }

    /// <summary>Makes calls on the slice's own thread, one after the other.</summary>
    public static Task Repeat(Slice slice, Action<int> operation)
    {
        int next = 0;
        do
        {
            for (int i = 0; i < ClockEvery; i++)
            {
                long began = slice.Begin();
                operation(next++ & int.MaxValue);
                slice.End(began);
                slice.Count(0);
            }
        }
        while (!slice.IsOver);
        return Task.CompletedTask;
    }

    /// <summary>A contender that passes a whole file again and again; an operation is one pass.</summary>
    /// <param name="passAsync">Its method should be pooled: what it allocates counts.</param>
    /// <param name="countUnits">Whether an operation is what the pass returns one for: a byte, a line.</param>
    /// <param name="isSingle">Whether a pass is one operation whose latency somebody waits for.</param>
    /// <param name="expected">What each pass must return, or it throws <see cref="IOException"/>; null: whatever it is.</param>
    public static Contender Passes(
        string name, Func<ValueTask<long>> passAsync, bool countUnits = false, bool isSingle = false, long? expected = null) => new(
        name, async slice =>
        {
            // Once this method is on the heap, it allocates nothing more.
            await Task.Yield();
            long allocated = GC.GetTotalAllocatedBytes(precise: true);
            do
            {
                long began = slice.Begin();
                long units = await passAsync();
                slice.End(began);
                if (expected is { } known && units != known)
                    throw new IOException($"a call of the benchmark gave {units} instead of {known}");
                slice.Count(0, countUnits ? units : 1);
            }
            while (!slice.IsOver);
            slice.AllocatedBytes = GC.GetTotalAllocatedBytes(precise: true) - allocated;
        })
        {
            MeasuresAllocations = true,
            IsPass = !isSingle,
        };

    /// <inheritdoc cref="Passes(string, Func{ValueTask{long}}, bool, bool, long?)"/>
    public static Contender Passes(
        string name, Func<long> pass, bool countUnits = false, bool isSingle = false, long? expected = null) =>
        Passes(name, () => new ValueTask<long>(pass()), countUnits, isSingle, expected);

    private static Func<Slice, Task> OnThreads(int threads, Action<int> operation) => slice => RunLoops(threads, loop =>
        Task.Factory.StartNew(
            () =>
            {
                do
                {
                    long began = slice.Begin();
                    operation(loop);
                    slice.End(began);
                    slice.Count(loop);
                }
                while (!slice.IsOver);
            },
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default));

    /// <summary>A contender whose operation is called on so many threads of its own at once.</summary>
    public static Contender Threads(string name, int threads, Action<int> operation, Action prepare) =>
        new(name, OnThreads(threads, operation)) { Loops = threads, Prepare = prepare };

    /// <summary>So many runs of what times itself; nothing else of them counts.</summary>
    /// <param name="run">Returns the ticks that count.</param>
    public static Func<Slice, Task> Runs(int runs, Func<long> run, CancellationToken cancellationToken) => slice =>
    {
        long ticks = 0;
        for (int i = 0; i < runs; i++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            ticks += run();
            slice.Count(0);
        }
        slice.Elapsed = Stopwatch.GetElapsedTime(0, ticks);
        return Task.CompletedTask;
    };

    public static Memory<byte>[] Buffers(int count, int sizeBytes) =>
        [.. Enumerable.Range(0, count).Select(i => PinnedBuffer.AllocateRandom(sizeBytes, seed: i))];

    // Runs a number of loops at the same time on the pool. Each loop is started by a work item of its own: a loop whose reads complete
    // immediately would prevent the start of the others.
    /// <summary>So many loops at once, on the pool.</summary>
    public static Task RunLoops(int count, Func<int, Task> loop) =>
        count == 1 ? loop(0) : Task.WhenAll(Enumerable.Range(0, count).Select(i => Task.Run(() => loop(i))));
}
