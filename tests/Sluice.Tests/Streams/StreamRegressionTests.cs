using System.Text;
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

    /// <summary>dotnet/runtime 80344: wrong data when asynchronous reads with a buffer were mixed with seeks.</summary>
    [Theory]
    [MemberData(nameof(Openings))]
    public async Task Asynchronous_reads_between_seeks_give_the_bytes_of_their_position_80344(int bufferSize, bool isAsync,
        FileCaching caching)
    {
        byte[] content = Bytes.Pattern(120_000);
        using SluiceStream stream = Open(_temp.NewFile(content), bufferSize, isAsync, caching);
        byte[] buffer = new byte[9_000];
        Random random = new(80_344);
        for (int i = 0; i < 200; i++)
        {
            int offset = random.Next(content.Length - buffer.Length);
            int size = random.Next(1, buffer.Length);
            stream.Seek(offset, SeekOrigin.Begin);
            await stream.ReadExactlyAsync(buffer.AsMemory(0, size));
            buffer.AsMemory(0, size).ShouldBeBytes(content.AsSpan(offset, size), $"at {offset}");

            // The second read begins in what the first has left in the buffer, and ends behind it.
            int more = random.Next(1, Math.Min(buffer.Length, content.Length - offset - size));
            int bytes = await stream.ReadAsync(buffer.AsMemory(0, more));
            buffer.AsMemory(0, bytes).ShouldBeBytes(content.AsSpan(offset + size, bytes), $"behind {offset + size}");
            stream.Position.ShouldBe(offset + size + bytes);
        }
    }

    [SkippableFact]
    public void A_forgotten_stream_that_was_read_leaves_no_descriptor()
    {
        Skip.IfNot(Directory.Exists("/proc/self/fd"), "descriptors are found in /proc");
        string path = _temp.NewFile(200_000);
        Sluice.Memory.RetiredMemory.Flush();
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

    /// <summary>dotnet/runtime 62851: an unbuffered (direct) file whose end is not at a sector's border.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(4096)]
    [InlineData(SluiceOptions.Adaptive)]
    public async Task The_end_of_a_direct_file_is_exact_62851(int bufferSize)
    {
        foreach (int length in (int[])[1, 511, 513, 4095, 4097, 10_001])
        {
            string path = _temp.NewPath();
            byte[] content = Bytes.Pattern(length);
            await using (SluiceStream writer = Open(path, bufferSize, isAsync: true, FileCaching.Direct, FileAccess.Write,
                FileMode.CreateNew))
            {
                await writer.WriteAsync(content.AsMemory(0, length / 2));
                await writer.WriteAsync(content.AsMemory(length / 2));
            }

            new FileInfo(path).Length.ShouldBe(length);
            using SluiceStream reader = Open(path, bufferSize, isAsync: true, FileCaching.Direct, FileAccess.Read);
            byte[] sector = new byte[4096];
            using MemoryStream all = new();
            int bytes;
            while ((bytes = await reader.ReadAsync(sector)) > 0)
            {
                all.Write(sector, 0, bytes);
                (all.Length <= length).ShouldBeTrue($"{all.Length} of {length} bytes");
            }

            all.ToArray().ShouldBeBytes(content);
            reader.Position.ShouldBe(length);
        }
    }

    /// <summary>dotnet/runtime 67965, asynchronous use in many small pieces: each piece arrives once, in order, none waits for
    /// ever.</summary>
    [Theory]
    [MemberData(nameof(Openings))]
    public async Task Thousands_of_small_asynchronous_transfers_arrive_67965(int bufferSize, bool isAsync, FileCaching caching)
    {
        string path = _temp.NewPath();
        byte[] content = Bytes.Pattern(40_000);
        int step = bufferSize is 0 or 1 ? 997 : 17;
        await using (SluiceStream stream = Open(path, bufferSize, isAsync, caching, FileAccess.Write, FileMode.CreateNew))
        {
            for (int i = 0; i < content.Length; i += step)
            {
                await stream.WriteAsync(content.AsMemory(i, Math.Min(step, content.Length - i)));
            }
        }

        using SluiceStream reader = Open(path, bufferSize, isAsync, caching, FileAccess.Read);
        byte[] buffer = new byte[step];
        for (int i = 0; i < content.Length; i += step)
        {
            int size = Math.Min(step, content.Length - i);
            (await reader.ReadAsync(buffer)).ShouldBe(size);
            buffer.AsMemory(0, size).ShouldBeBytes(content.AsSpan(i, size));
        }
    }

    /// <summary>dotnet/runtime 57100: FlushAsync. It hands the bytes to the system without making them durable, and leaves nothing
    /// out.</summary>
    [Theory]
    [MemberData(nameof(Openings))]
    public async Task FlushAsync_after_every_write_puts_each_in_the_file_57100(int bufferSize, bool isAsync, FileCaching caching)
    {
        string path = _temp.NewPath();
        await using SluiceStream stream = Open(path, bufferSize, isAsync, caching, FileAccess.Write, FileMode.CreateNew);
        int length = 0;
        for (int i = 0; i < 50; i++)
        {
            byte[] bytes = Bytes.Pattern(1 + (i * 37), length);
            await stream.WriteAsync(bytes);
            await stream.FlushAsync();
            length += bytes.Length;
            new FileInfo(path).Length.ShouldBe(length);
        }

        await using FileStream other = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        byte[] all = new byte[length];
        await other.ReadExactlyAsync(all);
        all.ShouldBeBytes(Bytes.Pattern(length));
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

    /// <summary>dotnet/runtime 49156, seeks without system calls: position and length stay right when several streams share the
    /// file.</summary>
    [Theory]
    [MemberData(nameof(Openings))]
    public void Position_and_length_stay_right_beside_another_stream_49156(int bufferSize, bool isAsync, FileCaching caching)
    {
        string path = _temp.NewFile(1_000);
        using SluiceStream first = Open(path, bufferSize, isAsync, caching);
        using SluiceStream second = Open(path, bufferSize, isAsync, caching);
        first.Position = 900;
        first.Length.ShouldBe(1_000);
        second.SetLength(500);
        first.Length.ShouldBe(500);
        first.Position.ShouldBe(900);
        first.Seek(-100, SeekOrigin.End).ShouldBe(400);
        first.ReadByte().ShouldBe(1 + (400 % 251));
        second.SetLength(2_000);
        first.Seek(0, SeekOrigin.End).ShouldBe(2_000);
        first.WriteByte(1);
        first.Flush();
        second.Length.ShouldBe(2_001);
    }

    /// <summary>dotnet/runtime 73250, BinaryReader over a file, one primitive at a time: right across the borders of buffers and at the
    /// end.</summary>
    [Theory]
    [MemberData(nameof(Openings))]
    public void BinaryReader_reads_primitives_over_every_border_73250(int bufferSize, bool isAsync, FileCaching caching)
    {
        byte[] content = Bytes.Pattern(10_001);
        using BinaryReader reader = new(Open(_temp.NewFile(content), bufferSize, isAsync, caching, FileAccess.Read), Encoding.UTF8);
        int position = 0;
        while (position + 13 <= content.Length)
        {
            reader.ReadInt32().ShouldBe(BitConverter.ToInt32(content, position));
            reader.ReadInt64().ShouldBe(BitConverter.ToInt64(content, position + 4));
            reader.ReadByte().ShouldBe(content[position + 12]);
            position += 13;
            reader.BaseStream.Position.ShouldBe(position);
        }

        int left = content.Length - position;
        reader.ReadBytes(100).Length.ShouldBe(left);
        Should.Throw<EndOfStreamException>(() => reader.ReadInt32());
        reader.BaseStream.Position.ShouldBe(content.Length);
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
