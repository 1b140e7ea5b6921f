using System.Text;

namespace Sluice.Hostile.Tests.Throwing;

/// <summary>
/// An engine of the caller's own that throws, from its decision or from what it wants to wait for, wherever a transfer is made: an error
/// comes to the caller of the transfer, what was said to be written is there, and what was read is the file's.
/// </summary>
[Trait("Tier", "slow")]
public sealed class EngineTests : HostileTests
{
    /// <summary>A file of so many lines and pieces (of 128 bytes in Debug builds) that more would only repeat them.</summary>
    private const int LinesBytes = 6_000;

    private static readonly byte[] Content = Bytes.Pattern(60_000);

    public static TheoryData<FileCaching, bool> Ways
    {
        get
        {
            TheoryData<FileCaching, bool> data = [];
            data.Add(FileCaching.Cached, true);
            data.Add(FileCaching.Cached, false);
            data.Add(FileCaching.Direct, true);
            data.Add(FileCaching.Direct, false);
            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public Task Handle(FileCaching caching, bool isAsync) => EveryCallAsync(async countdown =>
    {
        string path = Temp.NewFile(Content);
        using SluiceHandle handle = SluiceHandle.Open(path, new SluiceOptions
        {
            Access = FileAccess.ReadWrite,
            Caching = caching,
            Engine = new ThrowingEngine(countdown),
            Options = FileOptions.Asynchronous,
        });
        byte[] buffer = new byte[5000];
        byte[] other = Bytes.Pattern(5000, 3);
        for (int round = 0; round < 2; round++)
        {
            // Aligned, and not.
            long offset = 4096 + (round * 10_000);
            bool isRead = await countdown.TryAsync(async () =>
                (isAsync ? await handle.ReadAsync(buffer, offset) : handle.Read(buffer, offset)).ShouldBe(5000));
            if (isRead)
            {
                buffer.ShouldBeBytes(Content.AsSpan((int)offset, 5000));
            }

            await countdown.TryAsync(async () =>
            {
                if (isAsync)
                {
                    await handle.WriteAsync(other, offset);
                }
                else
                {
                    handle.Write(other, offset);
                }
            });
            await countdown.TryAsync(async () =>
            {
                if (isAsync)
                {
                    await handle.FlushToDiskAsync();
                }
                else
                {
                    handle.FlushToDisk();
                }
            });
            await countdown.TryAsync(() => handle.WriteAsync(other, offset).AsTask());
        }

        while (!await countdown.TryAsync(() => handle.WriteAsync(other, 7).AsTask()))
        {
        }

        while (!await countdown.TryAsync(async () => (await handle.ReadAsync(buffer, 7)).ShouldBe(5000)))
        {
        }

        buffer.ShouldBeBytes(other);
    });

    [Theory]
    [MemberData(nameof(Ways))]
    public Task Append(FileCaching caching, bool isAsync) => EveryCallAsync(async countdown =>
    {
        string path = Temp.NewPath();
        List<(long Offset, byte[] Record)> done = [];
        using (SluiceHandle handle = SluiceHandle.Open(path, new SluiceOptions
        {
            Mode = FileMode.Create,
            Access = FileAccess.ReadWrite,
            Caching = caching,
            Engine = new ThrowingEngine(countdown),
            Options = FileOptions.Asynchronous,
        }))
        {
            for (int i = 0; i < 5; i++)
            {
                byte[] record = Bytes.Pattern(100 + (i * 700), i);
                await countdown.TryAsync(async () =>
                    done.Add((isAsync ? await handle.AppendAndGetOffsetAsync(record) : handle.AppendAndGetOffset(record), record)));
            }
        }

        byte[] all = File.ReadAllBytes(path);
        foreach ((long offset, byte[] record) in done)
        {
            all.AsSpan((int)offset, record.Length).ToArray().ShouldBeBytes(record);
        }

        done.Count.ShouldBeGreaterThanOrEqualTo(4);
    });

    [Theory]
    [MemberData(nameof(Ways))]
    public Task Stream(FileCaching caching, bool isAsync) => EveryCallAsync(async countdown =>
    {
        string path = Temp.NewPath();
        long accepted = 0;
        using (SluiceStream stream = new(path, new SluiceOptions
        {
            Mode = FileMode.Create,
            Access = FileAccess.ReadWrite,
            Caching = caching,
            Engine = new ThrowingEngine(countdown),
            BufferSize = 4096,
            Options = isAsync ? FileOptions.Asynchronous : FileOptions.None,
        }))
        {
            for (int attempt = 0; stream.Position < Content.Length && attempt < 100; attempt++)
            {
                int at = (int)stream.Position;
                ReadOnlyMemory<byte> piece = Content.AsMemory(at, Math.Min(3000, Content.Length - at));
                await countdown.TryAsync(async () =>
                {
                    if (isAsync)
                    {
                        await stream.WriteAsync(piece);
                    }
                    else
                    {
                        stream.Write(piece.Span);
                    }
                });
                stream.Position.ShouldBeOneOf(at, at + piece.Length);
            }

            accepted = stream.Position;
            accepted.ShouldBe(Content.Length);
            await countdown.TryAsync(() => isAsync ? stream.FlushAsync() : Task.Run(stream.Flush));
            byte[] read = new byte[Content.Length];
            stream.Position = 0;
            for (int attempt = 0; stream.Position < Content.Length && attempt < 100; attempt++)
            {
                int at = (int)stream.Position;
                await countdown.TryAsync(async () =>
                {
                    int count = isAsync ? await stream.ReadAsync(read.AsMemory(at)) : stream.Read(read.AsSpan(at));
                    count.ShouldBeGreaterThan(0, "a false end");
                });
            }

            read.ShouldBeBytes(Content);
            await countdown.TryAsync(() => stream.DisposeAsync().AsTask());
        }

        File.ReadAllBytes(path).ShouldBeBytes(Content);
    });

    [Theory]
    [MemberData(nameof(Ways))]
    public Task Reader(FileCaching caching, bool isAsync) => EveryCallAsync(async countdown =>
    {
        string path = Temp.NewFile(Content);
        using Neighbour neighbour = new(Temp, caching);
        using SluiceReader reader = new(path, new SluiceReaderOptions
        {
            Caching = caching,
            Engine = new ThrowingEngine(countdown),
            RequestSize = 8192,
            Depth = 2,
        });
        MemoryStream read = new();
        for (bool isEnd = false; !isEnd;)
        {
            neighbour.Step();
            await countdown.TryAsync(async () =>
            {
                ReadOnlyMemory<byte> block = isAsync ? await reader.ReadBlockAsync()
                    : reader.TryReadBlock(out ReadOnlySpan<byte> next) ? next.ToArray() : default;
                read.Write(block.Span);
                isEnd = block.IsEmpty;
            });
        }

        read.ToArray().ShouldBeBytes(Content);
    });

    [Theory]
    [MemberData(nameof(Ways))]
    public Task Writer(FileCaching caching, bool isAsync) => EveryCallAsync(async countdown =>
    {
        string path = Temp.NewPath();
        using Neighbour neighbour = new(Temp, caching);
        SluiceWriter writer = new(path, new SluiceWriterOptions
        {
            Caching = caching,
            Engine = new ThrowingEngine(countdown),
            RequestSize = 8192,
            Depth = 2,
        });
        bool hasFailed = false;
        while (writer.Position < Content.Length && !hasFailed)
        {
            neighbour.Step();
            int at = (int)writer.Position;
            ReadOnlyMemory<byte> piece = Content.AsMemory(at, Math.Min(5000, Content.Length - at));
            hasFailed = !await countdown.TryAsync(async () =>
            {
                if (isAsync)
                {
                    await writer.WriteAsync(piece);
                }
                else
                {
                    writer.Write(piece.Span);
                }
            });
        }

        if (hasFailed)
        {
            // An error is final: each later call says it again.
            Exception? again = Record.Exception(() => writer.WriteByte(1));
            countdown.ShouldBeThrown(again.ShouldNotBeNull());
        }

        hasFailed |= !await countdown.TryAsync(() => isAsync ? writer.DisposeAsync().AsTask() : Task.Run(writer.Dispose));
        byte[] found = File.ReadAllBytes(path);
        (hasFailed || found.Length == Content.Length).ShouldBeTrue();
        found.ShouldBeBytes(Content.AsSpan(0, found.Length));
    });

    [Fact]
    public Task Whole_files() => EveryCallAsync(async countdown =>
    {
        using IDisposable scope = IoEngine.UseForCurrentContext(new ThrowingEngine(countdown));
        string path = Temp.NewFile("old"u8);
        bool isReplaced = await countdown.TryAsync(() => SluiceFile.ReplaceAtomicallyAsync(path, Content));
        File.ReadAllBytes(path).ShouldBeBytes(isReplaced ? Content : "old"u8);
        File.WriteAllBytes(path, Content);
        await countdown.TryAsync(async () => (await SluiceFile.ReadAllBytesAsync(path)).ShouldBeBytes(Content));
        await countdown.TryAsync(async () => (await SluiceFile.ReadAllTextAsync(path, Encoding.Latin1)).Length.ShouldBe(Content.Length));
        string other = Temp.NewPath();
        bool isWritten = await countdown.TryAsync(() => SluiceFile.WriteAllBytesAsync(other, Content));
        byte[] found = File.Exists(other) ? File.ReadAllBytes(other) : [];
        (found.Length == Content.Length || !isWritten).ShouldBeTrue();
        found.ShouldBeBytes(Content.AsSpan(0, found.Length));
        File.WriteAllBytes(path, Content.AsSpan(0, LinesBytes));
        int lines = 0;
        await countdown.TryAsync(async () =>
        {
            await foreach (string line in SluiceFile.ReadLinesAsync(path, Encoding.Latin1))
            {
                lines += line.Length > 0 ? 1 : 0;
            }

            lines.ShouldBeGreaterThan(10);
        });
        Directory.GetFiles(Temp.Root, ".*").ShouldBeEmpty("a temporary file was left");
    });

    private sealed class ThrowingEngine(Countdown countdown) : InterceptingEngine
    {
        private int _count;

        public override string Name => "throwing";

        protected override Interception OnSubmit(in IoSubmission submission)
        {
            countdown.Hit();

            // To wait is all that this may do: what it throws is nobody's, and no completion is lost for it.
            return Interception.HoldUntil(() => (Interlocked.Increment(ref _count) & 1) != 0
                ? throw new InvalidTimeZoneException("a wait that failed")
                : Task.CompletedTask);
        }
    }
}
