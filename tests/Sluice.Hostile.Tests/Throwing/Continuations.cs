using System.Runtime.ExceptionServices;

namespace Sluice.Hostile.Tests.Throwing;

/// <summary>
/// Where a caller goes on throws: its context's Post, its scheduler's QueueTask, the continuation itself, what it gave to a Begin call.
/// .NET has no caller for such an exception: it is unhandled, on a thread of the pool. So this is a program of its own, which takes note of
/// unhandled exceptions and lives on.
/// </summary>
internal static class Continuations
{
    private const int Piece = 4096;
    private const int Pieces = 12;
    private static readonly byte[] Content = Bytes.Pattern(Pieces * Piece);
    private static Countdown? s_countdown;
    private static int s_unhandled;

    /// <param name="folder">Where to work.</param>
    /// <param name="place">What throws: context, scheduler, continuation or callback.</param>
    public static async Task<int> RunAsync(string folder, string place)
    {
        ExceptionHandling.SetUnhandledExceptionHandler(static e =>
        {
            bool isExpected = Volatile.Read(ref s_countdown)?.IsThrown(e) == true;
            if (isExpected)
            {
                Interlocked.Increment(ref s_unhandled);
            }

            return isExpected;
        });
        string path = Path.Combine(folder, "file");
        foreach (FileCaching caching in (FileCaching[])[FileCaching.Cached, FileCaching.Direct])
        {
            foreach (bool isHeld in (bool[])[true, false])
            {
                int thrown = 0;
                for (int at = 1; at <= Pieces + 1; at++)
                {
                    File.WriteAllBytes(path, Content);
                    Countdown countdown = new(at, ThrownKind.Ordinary);
                    Volatile.Write(ref s_countdown, countdown);
                    Volatile.Write(ref s_unhandled, 0);
                    Accounts accounts = Accounts.Open(folder);
                    SluiceOptions options = new()
                    {
                        Access = FileAccess.ReadWrite,
                        Share = FileShare.ReadWrite,
                        Caching = caching,
                        Engine = isHeld ? new HeldEngine() : null,
                        BufferSize = 0,
                        Options = FileOptions.Asynchronous,
                    };
                    using (SluiceHandle handle = SluiceHandle.Open(path, options))
                    using (SluiceStream stream = new(path, options))
                    {
                        await RoundAsync(handle, stream, place, countdown);
                    }

                    await accounts.CloseAsync($"{place}, {caching}, held {isHeld}, call {at}");
                    thrown += countdown.HasThrown ? 1 : 0;
                    if (!countdown.HasThrown && isHeld)
                    {
                        break;
                    }
                }

                Console.WriteLine($"{place}, {caching}, held {isHeld}: thrown {thrown} times");
                (thrown > 0 || !isHeld).ShouldBeTrue("nothing was ever called");
            }
        }

        return 0;
    }

    private static async Task RoundAsync(SluiceHandle handle, SluiceStream stream, string place, Countdown countdown)
    {
        using CancellationTokenSource end = new();
        Task<int>[] neighbours = [.. Enumerable.Range(0, 3).Select(i => Task.Run(() => NeighbourAsync(handle, i, end.Token)))];
        int ended = 0;
        int told = 0;
        int begun = await Task.Run(() =>
        {
            switch (place)
            {
                case "context":
                    HostileContext context = new(countdown);
                    return Begin(i => _ = context.Run(() => OperationAsync(handle, i, () => Interlocked.Increment(ref ended))));
                case "scheduler":
                    HostileScheduler scheduler = new(countdown);
                    return Begin(i => _ = scheduler.Run(() => OperationAsync(handle, i, () => Interlocked.Increment(ref ended))));
                case "continuation":
                    return Begin(i => Continue(handle, i, () =>
                    {
                        // It has run whatever it throws; counted last, since whoever sees the count asks what was thrown.
                        try
                        {
                            countdown.Hit();
                        }
                        finally
                        {
                            Interlocked.Increment(ref ended);
                        }
                    }));
                default:
                    return Begin(i => Callback(stream, i, countdown, ref ended, ref told));
            }
        });

        // Whoever was called ended; whoever could not be called is the unhandled exception.
        bool isLost = place is "context" or "scheduler";
        await SpinAsync(() => Volatile.Read(ref ended) + (isLost ? Volatile.Read(ref s_unhandled) : 0) == begun);
        int expected = countdown.HasThrown ? 1 : 0;
        await SpinAsync(() => Volatile.Read(ref s_unhandled) + Volatile.Read(ref told) == expected);
        end.Cancel();
        foreach (Task<int> neighbour in neighbours)
        {
            (await neighbour).ShouldBeGreaterThan(0);
        }

        // And the same handle goes on, every piece of it.
        for (int i = 0; i < 2 * Pieces; i++)
        {
            await OperationAsync(handle, i, static () => { });
        }

        (Volatile.Read(ref s_unhandled) + told).ShouldBe(expected, "more exceptions than were thrown");
        (ended + (isLost ? expected : 0)).ShouldBe(begun, "a caller was told twice");
    }

    private static int Begin(Action<int> begin)
    {
        for (int i = 0; i < Pieces; i++)
        {
            begin(i);
        }

        return Pieces;
    }

    /// <summary>One asynchronous call of the first half of the file, of a kind by its number, and what its caller does after it.</summary>
    private static async Task OperationAsync(SluiceHandle handle, int number, Action after)
    {
        int index = number % (Pieces / 2);
        ReadOnlyMemory<byte> content = Content.AsMemory(index * Piece, Piece);
        byte[] buffer = new byte[Piece];
        switch (number % 4)
        {
            case 0:
                (await handle.ReadAsync(buffer, index * Piece)).ShouldBe(Piece);
                buffer.ShouldBeBytes(content.Span);
                break;
            case 1:
                await handle.WriteAsync(content, index * Piece);
                break;
            case 2:
                (await handle.ReadAsync([buffer.AsMemory(0, 96), buffer.AsMemory(96)], index * Piece)).ShouldBe(Piece);
                buffer.ShouldBeBytes(content.Span);
                break;
            default:
                await handle.FlushDataToDiskAsync();
                break;
        }

        after();
    }

    private static void Continue(SluiceHandle handle, int number, Action after)
    {
        byte[] buffer = new byte[Piece];
        ValueTask<int> read = handle.ReadAsync(buffer, number * Piece);
        var awaiter = read.ConfigureAwait(false).GetAwaiter();
        awaiter.OnCompleted(() =>
        {
            awaiter.GetResult().ShouldBe(Piece);
            buffer.ShouldBeBytes(Content.AsSpan(number * Piece, Piece));
            after();
        });
    }

    private static void Callback(SluiceStream stream, int number, Countdown countdown, ref int ended, ref int told)
    {
        byte[] buffer = new byte[Piece];
        using ManualResetEventSlim isCalled = new();
        int ends = 0;
        try
        {
            stream.Position = number * Piece;
            _ = stream.BeginRead(buffer, 0, Piece, result =>
            {
                try
                {
                    stream.EndRead(result).ShouldBe(Piece);
                    Interlocked.Increment(ref ends);
                    countdown.Hit();
                }
                finally
                {
                    isCalled.Set();
                }
            }, null);
        }
        catch (Exception e) when (countdown.IsThrown(e))
        {
            // Called where it ended at once: the caller's own thread, as FileStream's.
            told++;
        }

        isCalled.Wait(Watchdog.Patience).ShouldBeTrue("a callback that was never called");
        ends.ShouldBe(1);
        ended++;
        buffer.ShouldBeBytes(Content.AsSpan(number * Piece, Piece));
        stream.Position.ShouldBe((number + 1) * Piece);
    }

    /// <summary>Callers without a context, whose reads go on whatever becomes of others' continuations.</summary>
    private static async Task<int> NeighbourAsync(SluiceHandle handle, int number, CancellationToken end)
    {
        byte[] buffer = new byte[Piece];
        int rounds = 0;
        while (rounds < 8 || !end.IsCancellationRequested)
        {
            int index = (Pieces / 2) + ((number + rounds++) % (Pieces / 2));
            Task<int> read = handle.ReadAsync(buffer, index * Piece, CancellationToken.None).AsTask();
            (await read.WaitAsync(Watchdog.Patience, CancellationToken.None)).ShouldBe(Piece);
            buffer.ShouldBeBytes(Content.AsSpan(index * Piece, Piece));
        }

        return rounds;
    }

    private static async Task SpinAsync(Func<bool> isSo)
    {
        using CancellationTokenSource patience = new(Watchdog.Patience);
        while (!isSo())
        {
            patience.IsCancellationRequested.ShouldBeFalse("a caller was never told");
            await Task.Delay(1, CancellationToken.None);
        }
    }
}
