using Sluice.Cli.Load;

namespace Sluice.Cli.Bench;

/// <summary>The loops that contenders run. Sluice and .NET run the same loops.</summary>
internal static class Loops
{
    // Reading the clock costs 1 to 2 % of a hot 4 KiB read, so that short operations read it only every 16th time.
    private const int ClockEvery = 16;

    /// <summary>Reads or writes at random offsets, with a number of outstanding requests.</summary>
    public static Func<Slice, Task> AtRandom(
        IoTarget target, int depth, int requestSizeBytes, long fileSizeBytes, bool writes = false)
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
                    int transferred = buffer.Length;
                    long offset = RandomOffset(fileSizeBytes, requestSizeBytes);
                    if (writes)
                        await target.WriteAsync(buffer, offset);
                    else
                        transferred = await target.ReadAsync(buffer, offset);
                    RequireWhole(transferred, buffer.Length);
                    slice.Count(loop);
                }
            }
            while (!slice.IsOver);
        });
    }

    /// <summary>Returns the offset of a whole request, anywhere in the file.</summary>
    public static long RandomOffset(long fileSizeBytes, int requestSizeBytes) =>
        Random.Shared.NextInt64(fileSizeBytes / requestSizeBytes) * requestSizeBytes;

    /// <exception cref="IOException">The read returned fewer bytes than requested.</exception>
    public static void RequireWhole(int read, int requested)
    {
        if (read != requested)
            throw new IOException($"a read of {requested} bytes within a file gave {read}");
    }

    /// <summary>Writes at the end of a growing file. A full file ends the slice early, which does not change its rate.</summary>
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
                    await target.WriteAsync(buffer, offset);
                    offset += buffer.Length;
                    slice.Count(0);
                }
            }
            while (!slice.IsOver && offset < limitBytes);
        };
    }

    /// <summary>
    /// Reads or writes a file from its start to its end, or to the end of the slice, with a number of outstanding requests. An operation is
    /// a byte.
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

    /// <summary>Calls the operation repeatedly on the current thread until the slice ends.</summary>
    public static Task Repeat(Slice slice, Action<int> operation)
    {
        int next = 0;
        do
        {
            for (int i = 0; i < ClockEvery; i++)
            {
                operation(next++ & int.MaxValue);
                slice.Count(0);
            }
        }
        while (!slice.IsOver);
        return Task.CompletedTask;
    }

    /// <summary>Creates a contender that repeats a pass over a whole file.</summary>
    /// <param name="passAsync">The pass. Use a pooled method builder, because its allocations are counted.</param>
    /// <param name="countUnits">True to count the units that a pass returns (bytes, lines) as operations; false to count passes.</param>
    /// <param name="expected">The required result of each pass, otherwise <see cref="IOException"/>; null to accept any result.</param>
    public static Contender Passes(
        string name, Func<ValueTask<long>> passAsync, bool countUnits = false, long? expected = null) => new(
        name, async slice =>
        {
            // The yield moves the state machine of this method to the heap; later awaits allocate nothing.
            await Task.Yield();
            long allocated = GC.GetTotalAllocatedBytes(precise: true);
            do
            {
                long units = await passAsync();
                if (expected is { } known && units != known)
                    throw new IOException($"a call of the benchmark gave {units} instead of {known}");
                slice.Count(0, countUnits ? units : 1);
            }
            while (!slice.IsOver);
            slice.AllocatedBytes = GC.GetTotalAllocatedBytes(precise: true) - allocated;
        })
        {
            MeasuresAllocations = true,
        };

    /// <inheritdoc cref="Passes(string, Func{ValueTask{long}}, bool, long?)"/>
    public static Contender Passes(
        string name, Func<long> pass, bool countUnits = false, long? expected = null) =>
        Passes(name, () => new ValueTask<long>(pass()), countUnits, expected);

    /// <summary>Creates a contender that calls the operation on the given number of dedicated threads.</summary>
    public static Contender Threads(string name, int threads, Action<int> operation, Action prepare) => new(
        name, slice => RunLoops(threads, loop => Task.Factory.StartNew(
            () =>
            {
                do
                {
                    operation(loop);
                    slice.Count(loop);
                }
                while (!slice.IsOver);
            },
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)))
    {
        Loops = threads,
        Prepare = prepare,
    };

    public static Memory<byte>[] Buffers(int count, int sizeBytes) =>
        [.. Enumerable.Range(0, count).Select(i => PinnedBuffer.AllocateRandom(sizeBytes, seed: i))];

    /// <summary>
    /// Runs loops at the same time on the thread pool; a single loop starts on the current thread. Several loops are started by one work
    /// item each: a loop whose reads complete immediately would otherwise prevent the start of the others.
    /// </summary>
    public static Task RunLoops(int count, Func<int, Task> loop) =>
        count == 1 ? loop(0) : Task.WhenAll(Enumerable.Range(0, count).Select(i => Task.Run(() => loop(i))));
}
