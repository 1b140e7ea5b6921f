using Sluice.Testing;

namespace Sluice.Tests.Streams;

/// <summary>
/// What went wrong in FileStream's public history, asked of SluiceStream; the number is that of the issue in dotnet/runtime. Some of
/// those issues were about time: here the bytes, positions and counts of the same use are checked.
/// </summary>
public sealed class StreamRegressionTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public static TheoryData<int, bool, FileCaching> Openings => StreamPair.Openings;

    public void Dispose() => _temp.Dispose();

    [SkippableFact]
    public void A_forgotten_stream_that_was_read_leaves_no_descriptor()
    {
        Skip.IfNot(Directory.Exists("/proc/self/fd"), "descriptors are found in /proc");
        string path = _temp.NewFile(200_000);
        Forget(path);
        for (int i = 0; i < 20 && IsOpen(); i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        IsOpen().ShouldBeFalse();

        bool IsOpen() => Directory.GetFileSystemEntries("/proc/self/fd").Any(f => new FileInfo(f).LinkTarget == path);

        [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
        static void Forget(string path)
        {
            SluiceStream stream = new(path, FileMode.Open);
            byte[] buffer = new byte[100];
            for (int i = 0; i < 1_000; i++)
            {
                stream.ReadExactly(buffer);
            }
        }
    }

    /// <summary>What was read ahead, failed and is not wanted any more is nobody's error, and no read loses its bytes to it.</summary>
    [Fact]
    public async Task What_an_abandoned_read_ahead_failed_with_is_no_other_reads_error()
    {
        byte[] content = Bytes.Pattern(1_000_000);
        AheadEngine engine = new();
        await using SluiceStream stream = new(_temp.NewFile(content), new SluiceOptions { Engine = engine });
        byte[] buffer = new byte[100];
        engine.IsFailing = true;
        int offset = 0;
        for (; offset < 600_000 && engine.Failed == 0; offset += 100)
        {
            await ReadAsync(offset);
        }

        engine.Failed.ShouldBeGreaterThan(0, "nothing was read ahead");
        engine.IsFailing = false;
        stream.Position = 100_000;
        for (int at = 100_000; at < 900_000; at += 100)
        {
            await ReadAsync(at);
        }

        async Task ReadAsync(int at)
        {
            engine.Reading = at;
            (await stream.ReadAsync(buffer)).ShouldBe(100);
            buffer.ShouldBeBytes(content.AsSpan(at, 100), $"at {at}");
            stream.Position.ShouldBe(at + 100);
        }
    }

    /// <summary>Throws for what is read ahead, where it is to, when the read is under way already.</summary>
    private sealed class AheadEngine : InterceptingEngine
    {
        public override string Name => "ahead";

        public long Reading { get; set; }

        public bool IsFailing { get; set; }

        public int Failed { get; private set; }

        protected override Interception OnSubmit(in IoSubmission submission)
        {
            if (IsFailing && submission.FileOffset >= Reading + 100)
            {
                Failed++;
                throw new InvalidOperationException("ahead");
            }

            return Interception.HoldUntil(static async () => await Task.Yield());
        }
    }

    /// <summary>
    /// dotnet/runtime 80344: a buffer that was read to its end, and is no longer true after an asynchronous write of at least its size.
    /// FileStream of .NET 10.0.12 gives the old bytes here (docs/compatibility.md).
    /// </summary>
    [Theory]
    [MemberData(nameof(Openings))]
    public async Task An_asynchronous_write_behind_a_read_is_seen_after_a_seek_back_80344(int bufferSize, bool isAsync, FileCaching caching)
    {
        byte[] expected = Bytes.Pattern(60_000);
        using SluiceStream stream = Open(_temp.NewFile(expected), bufferSize, isAsync, caching);
        byte[] buffer = new byte[4_096];
        byte[] written = [.. Enumerable.Repeat((byte)255, 8_192)];
        for (int offset = 0; offset + written.Length < expected.Length; offset += 9_001)
        {
            stream.Position = offset;
            await stream.ReadExactlyAsync(buffer);
            stream.Position = offset;
            await stream.WriteAsync(written);
            written.CopyTo(expected, offset);
            stream.Seek(-written.Length, SeekOrigin.Current).ShouldBe(offset);
            await stream.ReadExactlyAsync(buffer);
            buffer.AsMemory().ShouldBeBytes(expected.AsSpan(offset, buffer.Length), $"at {offset}");
        }
    }

    /// <summary>dotnet/runtime 80344: several readers of one file at once, each through a stream of its own.</summary>
    [Theory]
    [InlineData(SluiceOptions.Adaptive)]
    [InlineData(0)]
    [InlineData(4096)]
    public async Task Many_asynchronous_streams_of_one_file_do_not_mix_their_bytes_80344(int bufferSize)
    {
        byte[] content = Bytes.Pattern(300_000);
        string path = _temp.NewFile(content);
        await Task.WhenAll(Enumerable.Range(1, 16).Select(n => Task.Run(async () =>
        {
            using SluiceStream stream = Open(path, bufferSize, isAsync: true, FileCaching.Cached, FileAccess.Read);
            byte[] all = new byte[content.Length];
            int done = 0;
            int bytes;
            while ((bytes = await stream.ReadAsync(all.AsMemory(done, Math.Min(all.Length - done, n * 1_009)))) > 0)
            {
                done += bytes;
            }

            all.ShouldBeBytes(content);
        })));
    }

    /// <summary>dotnet/runtime 57100: with nothing to flush it is done when it returns, and writes nothing.</summary>
    [Theory]
    [InlineData(SluiceOptions.Adaptive)]
    [InlineData(0)]
    [InlineData(4096)]
    public async Task FlushAsync_with_nothing_written_is_done_at_once_57100(int bufferSize)
    {
        FaultyEngine engine = new(new FaultPlan(1));
        await using SluiceStream stream = new(_temp.NewFile(100), new SluiceOptions
        {
            Access = FileAccess.ReadWrite,
            BufferSize = bufferSize,
            Options = FileOptions.Asynchronous,
            Engine = engine,
        });
        long before = engine.OperationCount;
        for (int i = 0; i < 10; i++)
        {
            Task flush = stream.FlushAsync();
            flush.IsCompletedSuccessfully.ShouldBeTrue();
            await flush;
        }

        engine.OperationCount.ShouldBe(before);
    }

    /// <summary>dotnet/runtime 57100: what there is to flush costs one write, and nothing is made durable.</summary>
    [Theory]
    [InlineData(SluiceOptions.Adaptive)]
    [InlineData(4096)]
    public async Task FlushAsync_costs_one_write_57100(int bufferSize)
    {
        RecordingEngine engine = new();
        await using SluiceStream stream = new(_temp.NewFile(100), new SluiceOptions
        {
            Access = FileAccess.ReadWrite,
            BufferSize = bufferSize,
            Options = FileOptions.Asynchronous,
            Engine = engine,
        });
        for (int i = 0; i < 10; i++)
        {
            await stream.WriteAsync(Bytes.Pattern(7, i * 7));
            await stream.FlushAsync();
        }

        engine.Transfers.ShouldBe(Enumerable.Range(0, 10).Select(i => (false, i * 7L, 7)));
    }

    private static SluiceStream Open(
        string path, int bufferSize, bool isAsync, FileCaching caching, FileAccess access = FileAccess.ReadWrite, FileMode mode =
            FileMode.Open) =>
        new(path, new SluiceOptions
        {
            Mode = mode,
            Access = access,
            Share = FileShare.ReadWrite,
            BufferSize = bufferSize,
            Caching = caching,
            Options = isAsync ? FileOptions.Asynchronous : FileOptions.None,
        });
}
