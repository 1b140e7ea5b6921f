using System.Buffers;
using Sluice.Testing;

namespace Sluice.Tests.Streams;

/// <summary>Where a stream stands after an exception, and what is left between two of its mechanisms.</summary>
[Collection(AloneCollection.Name)]
public sealed class StreamContractTests : AccountedTests, IDisposable
{
    private const int Total = 120_000;

    private readonly TempFolder _temp = new();

    public static TheoryData<int, bool, FileCaching> Openings => StreamFailureTests.Openings;

    public void Dispose() => _temp.Dispose();

    [SkippableTheory]
    [MemberData(nameof(Openings))]
    public async Task After_a_failed_read_the_position_is_where_it_was(int bufferSize, bool isAsync, FileCaching caching)
    {
        SmallPieces.OrSkip();
        byte[] content = Bytes.Pattern(Total);
        string path = _temp.NewFile(content);
        int failed = 0;
        for (int n = 0; n < 40; n++)
        {
            FaultyEngine engine = new(new FaultPlan(n).FailAt(n, FaultKind.DeviceError));
            using SluiceStream stream = new(path, new SluiceOptions { BufferSize = bufferSize, Caching = caching, Engine = engine });

            // Small ones first, so that chunks are read ahead; then one that spans several of them.
            int[] sizes = [.. Enumerable.Repeat(1_000, 25), 30_000, 30_000];
            foreach (int size in sizes)
            {
                byte[] buffer = new byte[size];
                long before = stream.Position;
                try
                {
                    int bytes = isAsync ? await stream.ReadAsync(buffer) : stream.Read(buffer);
                    stream.Position.ShouldBe(before + bytes);
                    buffer.AsSpan(0, bytes).ToArray().ShouldBeBytes(content.AsSpan((int)before, bytes), $"submission {n}");
                }
                catch (IOException)
                {
                    failed++;
                    stream.Position.ShouldBe(before, $"submission {n}");
                }
            }
        }

        failed.ShouldBeGreaterThan(3);
    }

    [SkippableTheory]
    [MemberData(nameof(Openings))]
    public async Task After_a_failed_write_the_position_is_the_end_of_what_was_accepted(int bufferSize, bool isAsync, FileCaching caching)
    {
        SmallPieces.OrSkip();
        byte[] content = Bytes.Pattern(Total);
        int failed = 0;
        for (int n = 0; n < 24; n++)
        {
            string path = _temp.NewPath();
            FaultyEngine engine = new(new FaultPlan(n).FailAt(n, FaultKind.DiskFull));
            await using (SluiceStream stream = new(path, new SluiceOptions
            {
                Mode = FileMode.CreateNew,
                Access = FileAccess.ReadWrite,
                BufferSize = bufferSize,
                Caching = caching,
                Engine = engine,
            }))
            {
                int given = 0;
                while (given < Total)
                {
                    byte[] chunk = content[given..Math.Min(Total, given + 700)];
                    long before = stream.Position;
                    before.ShouldBe(given);
                    try
                    {
                        if (isAsync)
                        {
                            await stream.WriteAsync(chunk);
                        }
                        else
                        {
                            stream.Write(chunk);
                        }

                        stream.Position.ShouldBe(before + chunk.Length);
                    }
                    catch (IOException)
                    {
                        failed++;

                        // Bytes that were rejected do not count, and those that do are in the file in the end.
                        stream.Position.ShouldBe(before, $"submission {n}");
                        stream.Length.ShouldBeInRange(0, before);
                    }

                    given = (int)stream.Position;
                }

                if (await Record.ExceptionAsync(() => stream.FlushAsync()) is { } error)
                {
                    error.ShouldBeOfType<IOException>();
                    stream.Position.ShouldBe(Total);
                    await stream.FlushAsync();
                }
            }

            (await File.ReadAllBytesAsync(path)).ShouldBeBytes(content, $"submission {n}");
            File.Delete(path);
        }

        failed.ShouldBeGreaterThan(3);
    }

    [SkippableTheory]
    [InlineData(FileCaching.Cached)]
    [InlineData(FileCaching.Direct)]
    public async Task A_synchronous_flush_writes_what_an_asynchronous_write_behind_could_not(FileCaching caching)
    {
        SmallPieces.OrSkip();
        byte[] content = Bytes.Pattern(Total);
        int retried = 0;
        for (int n = 0; n < 24; n++)
        {
            string path = _temp.NewPath();
            using SluiceStream stream = new(path, new SluiceOptions
            {
                Mode = FileMode.CreateNew,
                Access = FileAccess.Write,
                Share = FileShare.ReadWrite,
                Caching = caching,
                Engine = new FaultyEngine(new FaultPlan(n).FailAt(n, FaultKind.DeviceError)),
            });
            bool hasFailed = false;
            while (stream.Position < Total && !hasFailed)
            {
                try
                {
                    await stream.WriteAsync(content.AsMemory((int)stream.Position, 1_000));
                }
                catch (IOException)
                {
                    hasFailed = true;
                }
            }

            int accepted = (int)stream.Position;
            try
            {
                stream.Flush();
            }
            catch (IOException) when (!hasFailed)
            {
                // The write in flight failed only now: the next flush tries again.
                stream.Flush();
            }

            retried += hasFailed ? 1 : 0;
            stream.Position.ShouldBe(accepted);
            stream.Length.ShouldBe(accepted);
            (await File.ReadAllBytesAsync(path)).ShouldBeBytes(content.AsSpan(0, accepted), $"submission {n}");
        }

        retried.ShouldBeGreaterThan(3);
    }

    [SkippableTheory]
    [InlineData("setLength")]
    [InlineData("flush")]
    [InlineData("flushAsync")]
    [InlineData("write")]
    public async Task What_was_read_ahead_is_forgotten_by(string what)
    {
        byte[] content = Bytes.Pattern(Total);
        string path = _temp.NewFile(content);
        using SluiceStream stream = new(path, new SluiceOptions
        {
            Access = FileAccess.ReadWrite,
            Share = FileShare.ReadWrite,
            Caching = FileCaching.Direct,
        });
        byte[] buffer = new byte[1_000];
        for (int i = 0; i < 30; i++)
        {
            await stream.ReadExactlyAsync(buffer);
        }

        int position = (int)stream.Position;
        byte[] changed = [.. content.Select(static b => (byte)~b)];
        byte[] expected = [.. content[..position], .. changed[position..]];
        using (FileStream other = new(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
        {
            other.Position = position;
            other.Write(changed, position, changed.Length - position);
        }

        switch (what)
        {
            case "setLength":
                stream.SetLength(position + 50);
                expected = expected[..(position + 50)];
                break;
            case "flush":
                stream.Flush();
                break;
            case "flushAsync":
                await stream.FlushAsync();
                break;
            default:
                await stream.WriteAsync(buffer.AsMemory(0, 10));
                buffer.AsSpan(0, 10).CopyTo(expected.AsSpan(position));
                position += 10;
                break;
        }

        stream.Position.ShouldBe(position);
        byte[] rest = new byte[expected.Length - position];
        await stream.ReadExactlyAsync(rest);
        rest.ShouldBeBytes(expected.AsSpan(position));
        (await stream.ReadAsync(buffer)).ShouldBe(0);
    }

    [SkippableTheory]
    [InlineData(SluiceOptions.Adaptive, false)]
    [InlineData(SluiceOptions.Adaptive, true)]
    [InlineData(0, false)]
    [InlineData(0, true)]
    [InlineData(4096, false)]
    [InlineData(4096, true)]
    public async Task Memory_that_throws_when_it_is_asked_changes_nothing(int bufferSize, bool isWrite)
    {
        byte[] content = Bytes.Pattern(20_000);
        for (int n = 1; n < 20; n++)
        {
            string path = _temp.NewFile(content);
            await using (SluiceStream stream = new(path, new SluiceOptions
            {
                Access = FileAccess.ReadWrite,
                BufferSize = bufferSize,
            }))
            {
                // Something in the window first.
                await Step(stream, new byte[10]);
                for (int i = 0; i < 5; i++)
                {
                    long before = stream.Position;
                    using ThrowingMemory memory = new(1_000, n);
                    try
                    {
                        await Step(stream, memory.Memory);
                        stream.Position.ShouldBe(before + 1_000);
                    }
                    catch (InvalidTimeZoneException)
                    {
                        // Of a write that spans windows the first ones may have been accepted.
                        stream.Position.ShouldBeInRange(before, isWrite ? before + 999 : before, $"call {n}");
                    }

                    memory.Pins.ShouldBe(0);
                    await Step(stream, new byte[20]);
                }
            }

            File.Delete(path);
        }

        async ValueTask Step(SluiceStream stream, Memory<byte> memory)
        {
            if (isWrite)
            {
                await stream.WriteAsync(memory);
            }
            else
            {
                (await stream.ReadAsync(memory)).ShouldBe(memory.Length);
            }
        }
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_destination_that_throws_is_heard_and_the_stream_goes_on_behind_what_it_was_given(bool isAsync)
    {
        byte[] content = Bytes.Pattern(Total);
        string path = _temp.NewFile(content);
        for (int n = 0; n < 6; n++)
        {
            await using SluiceStream stream = new(path, FileMode.Open, FileAccess.Read);
            await using ThrowingStream sink = new(n);
            Exception? error = await Record.ExceptionAsync(async () =>
            {
                if (isAsync)
                {
                    await stream.CopyToAsync(sink);
                }
                else
                {
                    stream.CopyTo(sink);
                }
            });
            (error is null).ShouldBe(sink.Given == Total && sink.Calls <= n);
            error?.ShouldBeOfType<InvalidTimeZoneException>();
            stream.Position.ShouldBe(sink.Given);
            byte[] rest = new byte[Total - sink.Given];
            await stream.ReadExactlyAsync(rest);
            rest.ShouldBeBytes(content.AsSpan((int)sink.Given));
        }
    }

    /// <summary>Takes what it is given, and throws in the n-th call.</summary>
    private sealed class ThrowingStream(int n) : MemoryStream
    {
        public int Calls { get; private set; }

        public long Given { get; private set; }

        public override void Write(byte[] buffer, int offset, int count)
        {
            Given += count;
            if (Calls++ == n)
            {
                throw new InvalidTimeZoneException();
            }
        }

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            Write([], 0, buffer.Length);
            return default;
        }
    }

    /// <summary>Throws in the n-th call of GetSpan or Pin.</summary>
    private sealed class ThrowingMemory(int length, int n) : MemoryManager<byte>
    {
        private readonly CountingMemory _inner = new(length);
        private int _calls;

        public int Pins => _inner.Pins;

        public override Span<byte> GetSpan()
        {
            Count();
            return _inner.GetSpan();
        }

        public override MemoryHandle Pin(int elementIndex = 0)
        {
            Count();
            return _inner.Pin(elementIndex);
        }

        public override void Unpin() => _inner.Unpin();

        public void Dispose() => ((IDisposable)this).Dispose();

        protected override void Dispose(bool disposing) => _inner.Dispose();

        private void Count()
        {
            if (Interlocked.Increment(ref _calls) == n)
            {
                throw new InvalidTimeZoneException();
            }
        }
    }
}
