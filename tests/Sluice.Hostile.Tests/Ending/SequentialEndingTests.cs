namespace Sluice.Hostile.Tests.Ending;

/// <summary>
/// Readers and writers that are disposed of, or whose calls are cancelled, from another thread at each of their steps: bytes of the file,
/// an exception that says so, or the end where the file ends.
/// </summary>
[Trait("Tier", "slow")]
public sealed class SequentialEndingTests : HostileTests
{
    private static readonly byte[] Content = [.. Enumerable.Range(0, 50_000).Select(i => (byte)(1 + (i % 90)))];

    /// <summary>Each pair of engine, caching, sync or async, and closing or cancelling; "held" completes asynchronous calls alone.</summary>
    public static TheoryData<string, FileCaching, bool, bool> Ways => new()
    {
        { "own", FileCaching.Cached, false, false },
        { "own", FileCaching.Direct, false, true },
        { "own", FileCaching.Cached, true, true },
        { "held", FileCaching.Direct, true, false },
    };

    [Theory]
    [MemberData(nameof(Ways))]
    public Task Reader(string engine, FileCaching caching, bool isAsync, bool cancels) => EveryStepAsync(async steps =>
    {
        string path = Temp.NewFile(Content);
        Intruder intruder = new(Temp);
        using CancellationTokenSource source = new();
        using SluiceReader reader = new(path, new SluiceReaderOptions
        {
            Engine = Engine(engine),
            Caching = caching,
            RequestSize = 8192,
            Depth = 3,
        });
        steps.Begin(() =>
        {
            (cancels ? source.Cancel : (Action)reader.Dispose)();
            intruder.Come();
        });
        int count = 0;
        try
        {
            for (bool isEnd = false; !isEnd;)
            {
                int got = isAsync ? Check(await reader.ReadBlockAsync(source.Token), count)
                    : reader.TryReadBlock(out ReadOnlySpan<byte> block, source.Token) ? Check(block.ToArray(), count) : 0;
                count += got;
                isEnd = got == 0;
            }

            count.ShouldBe(Content.Length, "a false end");
        }
        catch (ObjectDisposedException) when (steps.HasStruck && !cancels)
        {
        }
        catch (OperationCanceledException e) when (source.IsCancellationRequested)
        {
            e.CancellationToken.ShouldBe(source.Token);
        }

        await steps.EndAsync();
        if (!cancels && steps.HasStruck)
        {
            Should.Throw<ObjectDisposedException>(() => reader.ReadRecord<byte>());
        }

        for (int got = 1; cancels && got > 0; count += got)
        {
            // Cancelled, no byte is lost.
            got = Check(await reader.ReadBlockAsync(CancellationToken.None), count);
        }

        (cancels ? Content.Length : count).ShouldBe(count);
        intruder.Check();
    });

    [Theory]
    [MemberData(nameof(Ways))]
    public Task Writer(string engine, FileCaching caching, bool isAsync, bool cancels) => EveryStepAsync(async steps =>
    {
        string path = Temp.NewPath();
        Intruder intruder = new(Temp);
        using CancellationTokenSource source = new();
        SluiceWriter writer = new(path, new SluiceWriterOptions
        {
            Engine = Engine(engine),
            Caching = caching,
            RequestSize = 8192,
            Depth = 3,
        });
        steps.Begin(() =>
        {
            (cancels ? source.Cancel : (Action)writer.Dispose)();
            intruder.Come();
        });
        try
        {
            while (writer.Position < Content.Length)
            {
                int at = (int)writer.Position;
                ReadOnlyMemory<byte> piece = Content.AsMemory(at, Math.Min(at % 2 == 0 ? 3001 : 20_000, Content.Length - at));
                if (isAsync)
                {
                    await writer.WriteAsync(piece, source.Token);
                    await writer.FlushAsync(at > 40_000, source.Token);
                }
                else
                {
                    writer.Write(piece.Span, source.Token);
                    writer.Flush(at > 40_000, source.Token);
                }
            }

            if (isAsync)
            {
                await writer.CompleteAsync(source.Token);
            }
            else
            {
                writer.Complete(source.Token);
            }
        }
        catch (ObjectDisposedException) when (steps.HasStruck && !cancels)
        {
        }
        catch (OperationCanceledException e) when (source.IsCancellationRequested)
        {
            e.CancellationToken.ShouldBe(source.Token);
        }

        await steps.EndAsync();
        if (!cancels && steps.HasStruck)
        {
            Should.Throw<ObjectDisposedException>(() => writer.WriteRecord((byte)1));
        }

        await writer.DisposeAsync();

        // Whatever was taken is there, and no more.
        File.ReadAllBytes(path).ShouldBeBytes(Content.AsSpan(0, (int)writer.Position));
        intruder.Check();
    });

    private static int Check(ReadOnlyMemory<byte> block, int at)
    {
        ((ReadOnlySpan<byte>)block.Span).ShouldBeBytes(Content.AsSpan(at, block.Length), $"a block at {at}");
        return block.Length;
    }
}
