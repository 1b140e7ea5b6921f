using Sluice.Testing;

namespace Sluice.Tests.Streams;

/// <summary>What one mechanism of a stream leaves behind, and another one finds.</summary>
[Collection(AloneCollection.Name)]
public sealed class StreamStateTests : AccountedTests, IDisposable
{
    private const int Length = 4 << 20;
    private const int Chunk = 60_000;

    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [Theory]
    [InlineData(FileCaching.Cached)]
    [InlineData(FileCaching.Direct)]
    public async Task A_synchronous_flush_writes_what_an_asynchronous_write_left_behind_and_failed_to_write(FileCaching caching)
    {
        byte[] content = Bytes.Pattern(Length);
        int seen = 0;
        for (int n = 0; n < 14; n++)
        {
            string path = _temp.NewPath();
            FaultyEngine engine = new(new FaultPlan(n).FailAt(n, FaultKind.DiskFull));
            SluiceOptions options = new() { Mode = FileMode.Create, Access = FileAccess.Write, Caching = caching, Engine = engine };
            await using SluiceStream stream = new(path, options);
            int done = 0;
            bool failed = false;
            while (done < Length && !failed)
            {
                ReadOnlyMemory<byte> piece = content.AsMemory(done, Math.Min(Chunk, Length - done));
                failed = await FailsAsync(() => stream.WriteAsync(piece).AsTask());
                done += failed ? 0 : piece.Length;
                stream.Position.ShouldBe(done);
            }

            // The other kind of call goes on: it hears of a failure that nobody heard of yet, and a second one finds nothing wrong.
            if (await FailsAsync(() => Task.Run(stream.Flush)))
            {
                failed = true;
                stream.Flush();
            }

            seen += failed ? 1 : 0;
            stream.Position.ShouldBe(done);

            // Of what was rejected a part may have been made.
            byte[] written = File.ReadAllBytes(path);
            written.Length.ShouldBeGreaterThanOrEqualTo(done, $"submission {n}");
            written.ShouldBeBytes(content.AsSpan(0, written.Length), $"submission {n}");
        }

        seen.ShouldBeGreaterThan(3);
    }

    /// <summary>What was read ahead begins where the window ends: at times that is just where the caller stands.</summary>
    [Theory]
    [InlineData(FileCaching.Cached, false)]
    [InlineData(FileCaching.Cached, true)]
    [InlineData(FileCaching.Direct, false)]
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

                if (isAsync)
                {
                    await stream.FlushAsync();
                }
                else
                {
                    stream.Flush();
                }

                int position = (int)stream.Position;
                position.ShouldBe(chunks * chunk);
                int bytes = await stream.ReadAsync(buffer);
                buffer.AsSpan(0, bytes).SequenceEqual(changed.AsSpan(position, bytes)).ShouldBeTrue($"read before the flush at {position}");
            }
        }
    }

    [Theory]
    [InlineData(FileCaching.Cached)]
    [InlineData(FileCaching.Direct)]
    public async Task A_read_that_fails_behind_what_was_read_ahead_leaves_the_position(FileCaching caching)
    {
        byte[] content = Bytes.Pattern(2 * Length);
        string path = _temp.NewFile(content);
        int seen = 0;
        for (int n = 8; n < 32; n++)
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

        seen.ShouldBeGreaterThan(3);
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
