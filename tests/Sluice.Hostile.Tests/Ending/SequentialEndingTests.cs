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

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public Task Scan_that_is_left_or_cancelled(bool cancels) => EveryStepAsync(async steps =>
    {
        string path = Temp.NewFile(Content);
        Intruder intruder = new(Temp);
        using CancellationTokenSource source = new();
        bool isLeft = false;
        steps.Begin(() =>
        {
            Volatile.Write(ref isLeft, true);
            (cancels ? source.Cancel : (Action)(() => { }))();
            intruder.Come();
        });
        List<(long Offset, byte[] Bytes)> parts = [];
        bool isWhole = false;
        try
        {
            SluiceScanOptions options = new() { PartSize = 10_000, Degree = 2, Delimiter = 90 };
            await foreach ((long, byte[]) part in SluiceReader.ScanAsync(path, p => (p.Offset, p.Bytes.ToArray()), options, source.Token))
            {
                parts.Add(part);
                if (!cancels && Volatile.Read(ref isLeft))
                {
                    break;
                }
            }

            isWhole = !Volatile.Read(ref isLeft) || cancels;
        }
        catch (OperationCanceledException e) when (source.IsCancellationRequested)
        {
            e.CancellationToken.ShouldBe(source.Token);
        }

        await steps.EndAsync();
        byte[] all = [.. parts.SelectMany(p => p.Bytes)];
        all.ShouldBeBytes(Content.AsSpan(0, all.Length));
        (!isWhole || all.Length == Content.Length).ShouldBeTrue("a false end");
        intruder.Check();
    });

    [Fact]
    public Task Follow() => EveryStepAsync(async steps =>
    {
        string path = Temp.NewFile("first\nsecond\n"u8);
        Intruder intruder = new(Temp);
        using CancellationTokenSource source = new();
        steps.Begin(() =>
        {
            source.Cancel();
            intruder.Come();
        });
        List<string> read = [];
        SluiceFollowOptions options = new() { FromStart = true, PollInterval = TimeSpan.FromMilliseconds(1) };
        try
        {
            await foreach (ReadOnlyMemory<byte> line in SluiceReader.FollowAsync(path, options, source.Token))
            {
                read.Add(System.Text.Encoding.ASCII.GetString(line.Span));
                if (read.Count == 2)
                {
                    // Rotated: the rest comes from another file.
                    File.Move(path, path + ".1");
                    await File.WriteAllTextAsync(path, "third\n");
                }

                if (read.Count == 3)
                {
                    break;
                }
            }

            read.Count.ShouldBe(3, "a false end");
        }
        catch (OperationCanceledException e) when (source.IsCancellationRequested)
        {
            e.CancellationToken.ShouldBe(source.Token);
        }

        await steps.EndAsync();
        read.ShouldBe([.. new[] { "first", "second", "third" }.Take(read.Count)]);
        intruder.Check();
    });

    private static int Check(ReadOnlyMemory<byte> block, int at)
    {
        ((ReadOnlySpan<byte>)block.Span).ShouldBeBytes(Content.AsSpan(at, block.Length), $"a block at {at}");
        return block.Length;
    }
}
