namespace Sluice.Tests.Streams;

/// <summary>What a write that is cancelled leaves in the file, and where the stream stands then.</summary>
public sealed class StreamCancellationTests : IDisposable
{
    /// <summary>Bytes of the longest write that is all or nothing.</summary>
    private const int Piece = OpenFile.MaxInlineBytes;

    private readonly TempFolder _temp = new();

    public static TheoryData<int, FileCaching> Openings
    {
        get
        {
            TheoryData<int, FileCaching> data = [];
            foreach (int bufferSize in (int[])[SluiceOptions.Adaptive, 0, 4096])
            {
                foreach (FileCaching caching in (FileCaching[])[FileCaching.Cached, FileCaching.Uncached, FileCaching.Direct])
                {
                    data.Add(bufferSize, caching);
                }
            }

            return data;
        }
    }

    public void Dispose() => _temp.Dispose();

    /// <summary>
    /// Cancelled at its first submission, at its second, and so on: the write ends there; up to the position the file has what was written,
    /// and behind it what it had before.
    /// </summary>
    [SkippableTheory]
    [MemberData(nameof(Openings))]
    public async Task A_large_write_ends_at_its_next_piece_with_the_position_behind_what_is_written(int bufferSize, FileCaching caching)
    {
        SmallPieces.OrSkip();
        const int lead = 3_000;
        byte[] content = Bytes.Pattern(lead + 500_000);
        foreach (int oldLength in (int[])[0, content.Length + 10_000])
        {
            byte[] old = new byte[oldLength];
            Array.Fill(old, (byte)0xA5);
            int cancelled = 0;
            bool isCancelled = true;
            for (int n = 0; isCancelled; n++)
            {
                string path = _temp.NewFile(old);
                using CancellationTokenSource source = new();
                CountingEngine engine = new();
                await using (SluiceStream stream = Open(path, bufferSize, caching, engine))
                {
                    stream.Write(content.AsSpan(0, lead));
                    engine.CancelAt(n, source);
                    isCancelled = await IsCancelledAsync(stream.WriteAsync(content.AsMemory(lead), source.Token));
                    int position = (int)stream.Position;
                    if (isCancelled)
                    {
                        cancelled++;
                        position.ShouldBeInRange(lead + 1, content.Length - Piece - 1, $"cancelled at submission {n}");
                        // The rest of a direct window's edges, and of the piece that was short.
                        engine.SubmittedAfterwards.ShouldBeLessThanOrEqualTo(4, $"cancelled at submission {n}");
                    }
                    else
                    {
                        position.ShouldBe(content.Length);
                    }

                    stream.Flush();
                    byte[] file = await ReadAllAsync(path);
                    file.Length.ShouldBe(Math.Max(oldLength, position), $"cancelled at submission {n}");
                    file.AsSpan(0, position).ToArray().ShouldBeBytes(content.AsSpan(0, position), $"cancelled at submission {n}");
                    file.AsSpan(position).ToArray().ShouldBeBytes(old.AsSpan(Math.Min(position, oldLength)), $"at submission {n}");

                    stream.Write(content.AsSpan(position));
                    stream.Position.ShouldBe(content.Length);
                }

                (await ReadAllAsync(path)).AsSpan(0, content.Length).ToArray().ShouldBeBytes(content, $"cancelled at submission {n}");
                File.Delete(path);
            }

            cancelled.ShouldBeGreaterThan(3);
        }
    }

    /// <summary>In Release builds too, whose pieces are as long as they say.</summary>
    [Theory]
    [MemberData(nameof(Openings))]
    public async Task Of_a_large_write_that_is_cancelled_some_pieces_are_written(int bufferSize, FileCaching caching)
    {
        byte[] content = Bytes.Pattern((4 * PieceOf(caching)) + 123);
        string path = _temp.NewPath();
        using CancellationTokenSource source = new();
        CountingEngine engine = new();
        await using SluiceStream stream = Open(path, bufferSize, caching, engine);
        engine.CancelAt(1, source);
        OperationCanceledException error = await Should.ThrowAsync<OperationCanceledException>(
            stream.WriteAsync(content, source.Token).AsTask());
        error.CancellationToken.ShouldBe(source.Token);
        int position = (int)stream.Position;
        position.ShouldBeInRange(1, content.Length - Piece - 1);
        stream.Flush();
        (await ReadAllAsync(path)).ShouldBeBytes(content.AsSpan(0, position));
    }

    /// <summary>Of a write that ends early no space is left behind the end, but what was reserved for one piece.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_write_that_ends_early_leaves_no_space_behind_the_end(bool isAsync)
    {
        byte[] content = Bytes.Pattern(SluiceHandle.ReserveFrom + (20 * Piece));
        string path = _temp.NewPath();
        CountingEngine engine = new();
        using SluiceStream stream = Open(path, SluiceOptions.Adaptive, FileCaching.Cached, engine);
        Skip.IfNot(stream.SluiceHandle.DelaysAllocation, "space is reserved on ext4 alone");
        stream.Write(content.AsSpan(0, SluiceHandle.ReserveFrom));
        stream.Flush();
        long before = Allocated();
        engine.CallAt(1, () => (Allocated() - before).ShouldBeInRange(0, (4 * Piece) + 65536));
        if (isAsync)
        {
            await stream.WriteAsync(content.AsMemory(SluiceHandle.ReserveFrom));
        }
        else
        {
            stream.Write(content.AsSpan(SluiceHandle.ReserveFrom));
        }

        engine.Error.ShouldBeNull();
        stream.Flush();
        (await ReadAllAsync(path)).ShouldBeBytes(content);

        long Allocated() => long.Parse(Trees.Run("stat", "-c", "%b", path)) * 512;
    }

    /// <summary>Without a buffer another call may have taken its place behind a write: then this one goes on to its end.</summary>
    [Theory]
    [InlineData(FileCaching.Cached)]
    [InlineData(FileCaching.Uncached)]
    [InlineData(FileCaching.Direct)]
    public async Task A_large_write_with_another_behind_it_is_written_whole(FileCaching caching)
    {
        int first = (4 * PieceOf(caching)) + 123;
        byte[] content = Bytes.Pattern(first + 100_000);
        string path = _temp.NewPath();
        using CancellationTokenSource source = new();
        CountingEngine engine = new();
        await using (SluiceStream stream = Open(path, 0, caching, engine))
        {
            engine.CallAt(1, () =>
            {
                stream.Write(content.AsSpan(first));
                source.Cancel();
            });
            await stream.WriteAsync(content.AsMemory(0, first), source.Token);
            stream.Position.ShouldBe(content.Length);
        }

        source.IsCancellationRequested.ShouldBeTrue();
        (await ReadAllAsync(path)).ShouldBeBytes(content);
    }

    /// <summary>A synchronous write beside one that is cancelled stands behind what of that is written.</summary>
    [SkippableTheory]
    [MemberData(nameof(Openings))]
    public async Task Writes_beside_a_cancelled_one_leave_no_gap(int bufferSize, FileCaching caching)
    {
        SmallPieces.OrSkip();
        for (int n = 0; n < 40; n++)
        {
            byte[] first = new byte[300_000];
            byte[] second = new byte[50_000];
            Array.Fill(first, (byte)1);
            Array.Fill(second, (byte)2);
            string path = _temp.NewPath();
            using CancellationTokenSource source = new();
            CountingEngine engine = new();
            await using (SluiceStream stream = Open(path, bufferSize, caching, engine))
            {
                engine.CancelAt(n % 8, source);
                Task write = stream.WriteAsync(first, source.Token).AsTask();
                // Where the first has ended meanwhile it follows on its part, else on the whole or, in its turn, on its part.
                stream.Write(second);
                bool isCancelled = await IsCancelledAsync(new ValueTask(write));
                long position = stream.Position;
                (position - second.Length).ShouldBeInRange(isCancelled ? 1 : first.Length, isCancelled ? first.Length - 1 : first.Length);
                await stream.FlushAsync();
                byte[] file = await ReadAllAsync(path);
                file.Length.ShouldBe((int)position, $"round {n}");
                file.AsSpan(0, (int)position - second.Length).IndexOfAnyExcept((byte)1).ShouldBe(-1, $"round {n}");
                file.AsSpan((int)position - second.Length).IndexOfAnyExcept((byte)2).ShouldBe(-1, $"round {n}");
            }
        }
    }

    /// <summary>What was written is what the position says, at whatever moment the token is cancelled; a write of one piece is all or
    /// nothing.</summary>
    [Theory]
    [MemberData(nameof(Openings))]
    public async Task A_cancelled_write_leaves_nothing_behind_the_position(int bufferSize, FileCaching caching)
    {
        Random random = new(bufferSize);
        for (int i = 0; i < 20; i++)
        {
            string path = _temp.NewPath();
            using MemoryStream expected = new();
            await using (SluiceStream stream = new(path, new SluiceOptions
            {
                Mode = FileMode.Create,
                Access = FileAccess.ReadWrite,
                BufferSize = bufferSize,
                Caching = caching,
            }))
            {
                for (int k = 0; k < 4; k++)
                {
                    byte[] bytes = new byte[random.Next(1, k % 2 == 0 ? 50_000 : 1_500_000)];
                    random.NextBytes(bytes);
                    using CancellationTokenSource source = new();
                    ValueTask write = stream.WriteAsync(bytes, k % 2 == 0 ? default : source.Token);
                    await source.CancelAsync();
                    try
                    {
                        await write;
                        expected.Write(bytes);
                    }
                    catch (OperationCanceledException)
                    {
                        k.ShouldBeOneOf(1, 3);
                        int accepted = (int)(stream.Position - expected.Length);
                        accepted.ShouldBeInRange(0, bytes.Length > Piece ? bytes.Length - 1 : 0);
                        expected.Write(bytes, 0, accepted);
                    }

                    stream.Position.ShouldBe(expected.Length);
                }
            }

            (await File.ReadAllBytesAsync(path)).ShouldBeBytes(expected.ToArray());
        }
    }

    /// <summary>Without a buffer writes may be under way side by side: one that is cancelled gives its place to nobody.</summary>
    [Fact]
    public async Task A_write_behind_a_cancelled_one_keeps_its_place()
    {
        byte[][] parts = [new byte[400_000], new byte[300_000], new byte[1_000_000]];
        for (int i = 0; i < parts.Length; i++)
        {
            Array.Fill(parts[i], (byte)(i + 1));
        }

        for (int round = 0; round < 20; round++)
        {
            string path = _temp.NewPath();
            SluiceOptions options = new() { Mode = FileMode.Create, Access = FileAccess.Write, BufferSize = 0 };
            await using (SluiceStream stream = new(path, options))
            {
                using CancellationTokenSource source = new();
                Task first = stream.WriteAsync(parts[0], source.Token).AsTask();
                Task second = stream.WriteAsync(parts[1]).AsTask();
                await source.CancelAsync();
                await first;
                await second;
                await stream.WriteAsync(parts[2]);
            }

            (await File.ReadAllBytesAsync(path)).ShouldBeBytes([.. parts[0], .. parts[1], .. parts[2]]);
        }
    }

    private static int PieceOf(FileCaching caching) => caching == FileCaching.Direct ? OpenFile.MaxDirectPieceBytes : Piece;

    private static SluiceStream Open(string path, int bufferSize, FileCaching caching, IoEngine engine) => new(path, new SluiceOptions
    {
        Mode = FileMode.OpenOrCreate,
        Access = FileAccess.ReadWrite,
        Share = FileShare.ReadWrite,
        BufferSize = bufferSize,
        Caching = caching,
        Engine = engine,
    });

    private static async Task<bool> IsCancelledAsync(ValueTask write)
    {
        try
        {
            await write;
            return false;
        }
        catch (OperationCanceledException)
        {
            return true;
        }
    }

    private static async Task<byte[]> ReadAllAsync(string path)
    {
        await using FileStream file = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        byte[] bytes = new byte[file.Length];
        await file.ReadExactlyAsync(bytes);
        return bytes;
    }

    /// <summary>Calls something once, when the submission of a number has ended, and counts those behind it.</summary>
    private sealed class CountingEngine : InterceptingEngine
    {
        private Action? _call;
        private int _left = -1;
        private int _after = -1;

        public override string Name => "counting";

        /// <summary>What the call threw.</summary>
        public Exception? Error { get; private set; }

        public int SubmittedAfterwards => Math.Max(Volatile.Read(ref _after), 0);

        public void CancelAt(int number, CancellationTokenSource source) => CallAt(number, source.Cancel);

        public void CallAt(int number, Action call)
        {
            _call = call;
            Volatile.Write(ref _left, number);
        }

        protected override Interception OnSubmit(in IoSubmission submission)
        {
            if (_call is { } call && Interlocked.Decrement(ref _left) == -1)
            {
                // Behind its transfer, which may have kept others out of the file.
                return Interception.HoldUntil(() =>
                {
                    Volatile.Write(ref _after, 0);
                    Error = Record.Exception(call);
                    return Task.CompletedTask;
                });
            }

            if (Volatile.Read(ref _after) >= 0)
            {
                Interlocked.Increment(ref _after);
            }

            return Interception.PassOn;
        }
    }
}
