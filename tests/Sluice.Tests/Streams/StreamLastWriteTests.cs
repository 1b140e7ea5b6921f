using System.Collections.Concurrent;

namespace Sluice.Tests.Streams;

/// <summary>
/// Closing a stream that has a write behind it and bytes in its window, when one or both of them cannot be written: what is tried again,
/// what is thrown, and which bytes the file has. Which writes these are is found out by a first run without faults.
/// </summary>
[Collection(AloneCollection.Name)]
public sealed class StreamLastWriteTests : AccountedTests, IDisposable
{
    private const int Chunk = 1_000;

    /// <summary>Ends within a window, Debug or Release.</summary>
#if DEBUG
    private const int Total = 41_000;
#else
    private const int Total = 2_600_000;
#endif

    private readonly TempFolder _temp = new();
    private readonly byte[] _content = Bytes.Pattern(Total);

    public void Dispose() => _temp.Dispose();

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_write_behind_that_fails_for_the_first_time_at_the_end_is_made_again(bool isAsync)
    {
        (long behind, long end) = await LastWritesAsync();
        (string path, SluiceStream stream) = await WrittenAsync(new FailingEngine((behind, 1)));
        (await CloseAsync(stream, isAsync)).ShouldBeNull();
        (await File.ReadAllBytesAsync(path)).ShouldBeBytes(_content, $"behind {behind} to {end}");
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_write_behind_that_fails_twice_at_the_end_is_told_and_the_window_is_written(bool isAsync)
    {
        (long behind, long end) = await LastWritesAsync();
        FailingEngine engine = new((behind, 2));
        (string path, SluiceStream stream) = await WrittenAsync(engine);
        IOException error = (await CloseAsync(stream, isAsync)).ShouldBeOfType<IOException>();
        error.Message.ShouldContain($"at offset {behind} ");
        engine.IsUsedUp.ShouldBeTrue("the second try was made");
        await CheckAllButAsync(path, behind, end, Total);
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_write_behind_whose_failure_was_told_before_is_made_again_at_the_end(bool isAsync)
    {
        (long behind, _) = await LastWritesAsync();
        (string path, SluiceStream stream) = await WrittenAsync(new FailingEngine((behind, 1)));
        await FailAsync(stream);
        int accepted = (int)stream.Position;
        accepted.ShouldBeGreaterThanOrEqualTo(Total);
        (await CloseAsync(stream, isAsync)).ShouldBeNull();
        (await File.ReadAllBytesAsync(path)).ShouldBeBytes(Bytes.Pattern(accepted));
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_write_behind_whose_failure_was_told_before_may_fail_again_and_the_window_is_written(bool isAsync)
    {
        (long behind, long end) = await LastWritesAsync();
        FailingEngine engine = new((behind, 2));
        (string path, SluiceStream stream) = await WrittenAsync(engine);
        await FailAsync(stream);
        int accepted = (int)stream.Position;
        IOException error = (await CloseAsync(stream, isAsync)).ShouldBeOfType<IOException>();
        error.Message.ShouldContain($"at offset {behind} ");
        engine.IsUsedUp.ShouldBeTrue("it was tried once more");
        await CheckAllButAsync(path, behind, end, accepted);
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_window_that_fails_at_the_end_is_told_and_what_was_behind_it_is_written(bool isAsync)
    {
        (_, long end) = await LastWritesAsync();
        (string path, SluiceStream stream) = await WrittenAsync(new FailingEngine((end, int.MaxValue)));
        IOException error = (await CloseAsync(stream, isAsync)).ShouldBeOfType<IOException>();
        error.Message.ShouldContain($"at offset {end} ");
        (await File.ReadAllBytesAsync(path)).ShouldBeBytes(_content.AsSpan(0, (int)end));
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Of_two_failures_at_the_end_the_one_with_the_lower_offset_is_told(bool isAsync)
    {
        (long behind, long end) = await LastWritesAsync();
        FailingEngine engine = new((behind, int.MaxValue), (end, 1));
        (string path, SluiceStream stream) = await WrittenAsync(engine);
        IOException error = (await CloseAsync(stream, isAsync)).ShouldBeOfType<IOException>();
        error.Message.ShouldContain($"at offset {behind} ");
        engine.Failed(end).ShouldBe(1, "the window was tried");
        (await File.ReadAllBytesAsync(path)).ShouldBeBytes(_content.AsSpan(0, (int)behind));
    }

    /// <summary>Where the last write behind begins and ends; the window's bytes begin there.</summary>
    private async Task<(long Behind, long End)> LastWritesAsync()
    {
        FailingEngine engine = new();
        (_, SluiceStream stream) = await WrittenAsync(engine);
        (long offset, int length) = engine.Writes.Last();
        await stream.DisposeAsync();
        (offset + length).ShouldBeLessThan(Total, "there are bytes in the window");
        engine.Writes.Where(write => write.Offset > offset).ShouldAllBe(write => write.Offset >= offset + length);
        return (offset, offset + length);
    }

    private async Task<(string Path, SluiceStream Stream)> WrittenAsync(FailingEngine engine)
    {
        string path = _temp.NewPath();
        SluiceStream stream = new(path, new SluiceOptions
        {
            Mode = FileMode.CreateNew,
            Access = FileAccess.Write,
            Caching = FileCaching.Direct,
            Engine = engine,
        });
        if (stream.SluiceHandle.Caching != FileCaching.Direct)
        {
            await stream.DisposeAsync();
            Skip.If(true, "only direct writes are left behind in any case");
        }

        for (int i = 0; i < Total; i += Chunk)
        {
            await stream.WriteAsync(_content.AsMemory(i, Chunk));
        }

        return (path, stream);
    }

    /// <summary>Writes on until the failure of what is behind is told.</summary>
    private static async Task FailAsync(SluiceStream stream)
    {
        await Should.ThrowAsync<IOException>(async () =>
        {
            for (int i = 0; i < Total; i += Chunk)
            {
                await stream.WriteAsync(Bytes.Pattern(Chunk, (int)stream.Position));
            }
        });
    }

    private static async Task<Exception?> CloseAsync(SluiceStream stream, bool isAsync)
    {
        Exception? error = await Record.ExceptionAsync(async () =>
        {
            if (isAsync)
            {
                await stream.DisposeAsync();
            }
            else
            {
                stream.Dispose();
            }
        });
        stream.CanWrite.ShouldBeFalse();
        stream.SafeFileHandle.IsClosed.ShouldBeTrue();

        // It was told once.
        stream.Dispose();
        await stream.DisposeAsync();
        return error;
    }

    private static async Task CheckAllButAsync(string path, long from, long to, int length)
    {
        byte[] written = await File.ReadAllBytesAsync(path);
        byte[] expected = Bytes.Pattern(length);
        written.Length.ShouldBe(length);
        written.AsSpan(0, (int)from).ToArray().ShouldBeBytes(expected.AsSpan(0, (int)from), "in front");
        written.AsSpan((int)to).ToArray().ShouldBeBytes(expected.AsSpan((int)to), "behind");
        written.AsSpan((int)from, (int)(to - from)).IndexOfAnyExcept((byte)0).ShouldBe(-1, "what was lost");
    }

    /// <summary>Fails writes that have a byte at one of some offsets, each so many times, and lists all writes.</summary>
    private sealed class FailingEngine(params (long At, int Times)[] faults) : InterceptingEngine
    {
        private readonly ConcurrentDictionary<long, int> _failed = new();

        public ConcurrentQueue<(long Offset, int Length)> Writes { get; } = new();

        public bool IsUsedUp => faults.All(fault => Failed(fault.At) == fault.Times);

        public override string Name => "failing";

        public int Failed(long at) => _failed.GetValueOrDefault(at);

        protected override Interception OnSubmit(in IoSubmission submission)
        {
            if (!submission.IsWrite)
            {
                return Interception.PassOn;
            }

            (long offset, int length) = (submission.FileOffset, submission.Length);
            Writes.Enqueue((offset, length));
            foreach ((long at, int times) in faults)
            {
                if (offset <= at && at < offset + length && Failed(at) < times)
                {
                    _failed.AddOrUpdate(at, 1, static (_, count) => count + 1);
                    return Interception.Fail(5);
                }
            }

            return Interception.PassOn;
        }
    }
}
