using Sluice.Testing;

namespace Sluice.Tests.Streams;

/// <summary>What one mechanism of a stream leaves behind, and another one finds.</summary>
[Trait("Tier", "slow")]
[Collection(AloneCollection.Name)]
public sealed class StreamStateTests : AccountedTests, IDisposable
{
    private const int Length = 4 << 20;
    private const int Chunk = 60_000;

    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    /// <summary>As FileStream's: what has room in the buffer is taken, although what is in it could not be written.</summary>
    [Theory]
    [InlineData(4096, false)]
    [InlineData(4096, true)]
    [InlineData(SluiceOptions.Adaptive, false)]
    [InlineData(SluiceOptions.Adaptive, true)]
    public async Task A_flush_that_fails_leaves_the_room_that_there_was(int bufferSize, bool isAsync)
    {
        const int piece = 50;
        byte[] content = Bytes.Pattern(5 * piece);
        string path = _temp.NewPath();
        FaultPlan plan = new(1);
        await using SluiceStream stream = new(path, new SluiceOptions
        {
            Mode = FileMode.Create,
            Access = FileAccess.Write,
            Share = FileShare.ReadWrite,
            BufferSize = bufferSize,
            Engine = new FaultyEngine(plan),
        });
        for (int done = 0; done < content.Length; done += piece)
        {
            plan.Eio = 1;
            await stream.WriteAsync(content.AsMemory(done, piece));
            stream.Position.ShouldBe(done + piece);
            (await FailsAsync(() => stream.FlushAsync(isAsync))).ShouldBeTrue();
            stream.Position.ShouldBe(done + piece);
        }

        plan.Eio = 0;
        await stream.FlushAsync(isAsync);
        File.ReadAllBytes(path).ShouldBeBytes(content);
    }

    /// <summary>A jump to a place that is just not in memory reads the file, whatever lies in front of a window's own memory.</summary>
    [Theory]
    [InlineData(FileCaching.Cached)]
    [InlineData(FileCaching.Direct)]
    public void A_seek_to_just_before_what_is_in_memory_reads_the_file(FileCaching caching)
    {
        const int middle = 1 << 20;
        byte[] content = Bytes.Pattern(2 * middle);
        string path = _temp.NewFile(content);
        byte[] buffer = new byte[300];
        for (int back = 1; back < 4100; back += back < 20 ? 1 : 67)
        {
            using SluiceStream stream = new(path, new SluiceOptions { Caching = caching });
            stream.Position = middle;
            stream.ReadByte().ShouldBe(content[middle]);
            stream.Position = middle - back;
            stream.ReadAtLeast(buffer, buffer.Length).ShouldBe(buffer.Length);
            buffer.AsSpan().SequenceEqual(content.AsSpan(middle - back, buffer.Length)).ShouldBeTrue($"{back} bytes back");
        }
    }

    /// <summary>What was read ahead begins where the window ends: at times that is just where the caller stands.</summary>
    [Theory]
    [InlineData(FileCaching.Cached, false)]
    [InlineData(FileCaching.Direct, true)]
    public async Task What_is_read_after_a_flush_was_not_read_ahead_before_it(FileCaching caching, bool isAsync)
    {
        byte[] changed = Bytes.Pattern(Length, start: 99);
        foreach (int chunk in (int[])[Chunk, 1 << 16])
        {
            for (int chunks = 1; chunks <= 24; chunks += chunk == Chunk ? 9 : 1)
            {
                string path = _temp.NewFile(Bytes.Pattern(Length));
                await using SluiceStream stream = Slow(path, caching);
                byte[] buffer = new byte[chunk];
                await ReadAsync(stream, buffer, chunks);
                using (FileStream other = new(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
                {
                    other.Write(changed);
                }

                await stream.FlushAsync(isAsync);

                int position = (int)stream.Position;
                position.ShouldBe(chunks * chunk);
                int bytes = await stream.ReadAsync(buffer);
                buffer.AsSpan(0, bytes).SequenceEqual(changed.AsSpan(position, bytes)).ShouldBeTrue($"read before the flush at {position}");
            }
        }
    }

    [Fact]
    public async Task What_is_read_after_a_write_was_not_read_ahead_before_it()
    {
        byte[] content = Bytes.Pattern(Length);
        string path = _temp.NewFile(content);
        await using SluiceStream stream = Slow(path, FileCaching.Direct);
        byte[] buffer = new byte[Chunk];
        await ReadAsync(stream, buffer, 20);
        int position = (int)stream.Position;
        byte[] changed = [.. content.Select(static b => (byte)~b)];
        using (FileStream other = new(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
        {
            other.Position = position;
            other.Write(changed, position, Length - position);
        }

        await stream.WriteAsync(buffer.AsMemory(0, 10));
        stream.Position.ShouldBe(position + 10);
        byte[] rest = new byte[Length - position - 10];
        await stream.ReadExactlyAsync(rest);
        rest.ShouldBeBytes(changed.AsSpan(position + 10));
        (await stream.ReadAsync(buffer)).ShouldBe(0);
    }

    [Theory]
    [InlineData(FileCaching.Cached)]
    [InlineData(FileCaching.Direct)]
    public async Task A_read_that_fails_behind_what_was_read_ahead_leaves_the_position(FileCaching caching)
    {
        byte[] content = Bytes.Pattern(2 * Length);
        string path = _temp.NewFile(content);
        int seen = 0;
        for (int n = 8; n < 32; n += 4)
        {
            FaultPlan plan = new FaultPlan(n) { Delay = 1, MaxDelayMs = 1 }.FailAt(n, FaultKind.DeviceError);
            await using SluiceStream stream = new(path, new SluiceOptions { Caching = caching, Engine = new FaultyEngine(plan) });
            byte[] buffer = new byte[3 << 20];
            int done = 0;
            for (int size = Chunk; done < content.Length; size = done > Length / 4 ? buffer.Length : Chunk)
            {
                stream.Position.ShouldBe(done);
                try
                {
                    int bytes = await stream.ReadAsync(buffer.AsMemory(0, size));
                    buffer.AsSpan(0, bytes).SequenceEqual(content.AsSpan(done, bytes)).ShouldBeTrue($"submission {n}, offset {done}");
                    bytes.ShouldBeGreaterThan(0);
                    done += bytes;
                }
                catch (IOException)
                {
                    stream.Position.ShouldBe(done, $"submission {n}");
                    seen++;
                }
            }
        }

        seen.ShouldBeGreaterThan(1);
    }

    [Theory]
    [InlineData(FileCaching.Cached)]
    [InlineData(FileCaching.Direct)]
    public async Task A_length_that_is_cut_and_extended_while_a_chunk_is_read_ahead_leaves_zeros(FileCaching caching)
    {
        string path = _temp.NewFile(Bytes.Pattern(Length));
        await using SluiceStream stream = Slow(path, caching);
        byte[] buffer = new byte[Chunk];
        await ReadAsync(stream, buffer, 10);
        stream.SetLength((10 * Chunk) + 100);
        stream.SetLength(Length);
        stream.Position.ShouldBe(10 * Chunk);
        int bytes = await stream.ReadAtLeastAsync(buffer, Chunk);
        bytes.ShouldBe(Chunk);
        buffer.AsSpan(100).IndexOfAnyExcept((byte)0).ShouldBe(-1);
        stream.SetLength(5);
        stream.Position.ShouldBe(5);
        (await stream.ReadAsync(buffer)).ShouldBe(0);
    }

    /// <summary>Also if its window has grown.</summary>
    [Theory]
    [InlineData(10, FileCaching.Cached)]
    [InlineData(10_000, FileCaching.Cached)]
    [InlineData(10, FileCaching.Direct)]
    [InlineData(100_010, FileCaching.Direct)]
    public void What_was_written_to_a_forgotten_stream_is_written_when_it_is_collected(int bytes, FileCaching caching)
    {
        string path = _temp.NewPath();
        Forget(path, bytes, caching);
        for (int i = 0; i < 20 && new FileInfo(path).Length < bytes; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        File.ReadAllBytes(path).ShouldBeBytes(Bytes.Pattern(bytes));

        [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
        static void Forget(string path, int bytes, FileCaching caching)
        {
            SluiceStream stream = new(
                path, new SluiceOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write, Caching = caching });
            byte[] content = Bytes.Pattern(bytes);
            for (int i = 0; i < bytes; i += 10)
            {
                stream.Write(content.AsSpan(i, 10));
            }
        }
    }

    /// <summary>A stream whose reads never complete at once, so that it reads ahead.</summary>
    private static SluiceStream Slow(string path, FileCaching caching) => new(path, new SluiceOptions
    {
        Access = FileAccess.ReadWrite,
        Share = FileShare.ReadWrite,
        Caching = caching,
        Engine = new FaultyEngine(new FaultPlan(1) { Delay = 1, MaxDelayMs = 2 }),
    });

    private static async Task ReadAsync(SluiceStream stream, byte[] buffer, int chunks)
    {
        for (int i = 0; i < chunks; i++)
        {
            (await stream.ReadAtLeastAsync(buffer, buffer.Length)).ShouldBe(buffer.Length);
        }
    }

    private static async Task<bool> FailsAsync(Func<Task> act)
    {
        try
        {
            await act();
            return false;
        }
        catch (IOException)
        {
            return true;
        }
    }
}
