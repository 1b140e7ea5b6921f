using Sluice.Streams;

namespace Sluice.Tests.Streams;

/// <summary>How many bytes a stream asks of its file at once: an adaptive buffer grows and drops back, a size that was named
/// stays.</summary>
public sealed class StreamBufferSizeTests : IDisposable
{
    private const int Length = 4 << 20;
    private const int Step = 100;

    private readonly TempFolder _temp = new();
    private readonly RecordingEngine _engine = new();
    private readonly byte[] _buffer = Bytes.Pattern(Step);

    public void Dispose() => _temp.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_adaptive_buffer_grows_while_reading_on_and_drops_back_after_a_seek(bool isAsync)
    {
        await using SluiceStream stream = Open(SluiceOptions.Adaptive, isAsync);
        await PassAsync(stream, isAsync, writes: false, 3 * AdaptiveSize.MaxRead);
        int[] sizes = LengthsFrom(0, isRead: true);
        ((int[])[.. sizes.Take(2)]).ShouldBe([AdaptiveSize.Start, AdaptiveSize.Start * 4]);

        // An asynchronous read that had to wait also reads ahead: twice as much at once.
        sizes.Max().ShouldBeOneOf(isAsync ? [AdaptiveSize.MaxRead, 2 * AdaptiveSize.MaxRead] : [AdaptiveSize.MaxRead]);

        const int target = Length / 2;
        stream.Seek(target, SeekOrigin.Begin);
        await PassAsync(stream, isAsync, writes: false, AdaptiveSize.Start * 3);
        ((int[])[.. LengthsFrom(target, isRead: true).Take(2)]).ShouldBe([AdaptiveSize.Start, AdaptiveSize.Start * 4]);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_adaptive_buffer_grows_while_writing_on_and_drops_back_after_a_seek(bool isAsync)
    {
        await using SluiceStream stream = Open(SluiceOptions.Adaptive, isAsync);
        await PassAsync(stream, isAsync, writes: true, 3 * AdaptiveSize.MaxWrite);
        int[] sizes = LengthsFrom(0, isRead: false);
        ((int[])[.. sizes.Take(3)]).ShouldBe([AdaptiveSize.Start, AdaptiveSize.Start * 4,
            Math.Min(AdaptiveSize.Start * 16, AdaptiveSize.MaxWrite)]);
        sizes.Max().ShouldBe(AdaptiveSize.MaxWrite);

        const int target = Length / 2;
        stream.Seek(target, SeekOrigin.Begin);
        await PassAsync(stream, isAsync, writes: true, AdaptiveSize.Start * 6);
        ((int[])[.. LengthsFrom(target, isRead: false).Take(2)]).ShouldBe([AdaptiveSize.Start, AdaptiveSize.Start * 4]);
    }

    /// <summary>As who reads an archive does: to the end of an entry, whose beginning is read then.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_was_read_is_kept_where_the_position_is_moved_behind_it_and_back(bool isAsync)
    {
        await using SluiceStream stream = Open(SluiceOptions.Adaptive, isAsync);
        await PassAsync(stream, isAsync, writes: false, Step);
        stream.Position = Length - 1;
        stream.Position.ShouldBe(Length - 1);
        stream.Position = 3L * int.MaxValue;
        stream.Position.ShouldBe(3L * int.MaxValue);
        stream.Position = 0;
        int before = _engine.Transfers.Count;
        await PassAsync(stream, isAsync, writes: false, Step);
        stream.Seek(Length / 2, SeekOrigin.Begin);
        stream.Seek(-(Length / 2), SeekOrigin.Current);
        await PassAsync(stream, isAsync, writes: false, Step);
        _engine.Transfers.Count.ShouldBe(before + 1, "beyond two gigabytes it was let go of, and read anew once");

        stream.Position = Length / 2;
        await PassAsync(stream, isAsync, writes: false, Step);
        stream.Position = 0;
        await PassAsync(stream, isAsync, writes: false, Step);
        _engine.Transfers.Count.ShouldBe(before + 3, "what was read elsewhere takes its place");

        // What is written behind it does too.
        stream.Position = Length - Step;
        await PassAsync(stream, isAsync, writes: true, Step);
        stream.Position.ShouldBe(Length);
        stream.Flush();
        stream.Length.ShouldBe(Length);
        stream.Position = 0;
        await PassAsync(stream, isAsync, writes: false, Step);
        _engine.Transfers.Count.ShouldBe(before + 5);
    }

    [Theory]
    [InlineData(64 + Step, false)]
    [InlineData(64 + Step, true)]
    [InlineData(4096, false)]
    [InlineData(4096, true)]
    public async Task A_size_that_was_named_is_kept_exactly(int bufferSize, bool isAsync)
    {
        await using SluiceStream stream = Open(bufferSize, isAsync);
        await PassAsync(stream, isAsync, writes: false, bufferSize * 40);
        LengthsFrom(0, isRead: true).ShouldAllBe(length => length == bufferSize);

        const int target = Length / 2;
        stream.Seek(target, SeekOrigin.Begin);
        await PassAsync(stream, isAsync, writes: true, bufferSize * 40);
        int[] written = LengthsFrom(target, isRead: false);
        written.Length.ShouldBeGreaterThan(30);
        written.ShouldAllBe(length => length == bufferSize);
    }

    /// <summary>What was asked of the file from an offset on, in the order of the calls; the last, not yet full, window is not among
    /// it.</summary>
    private int[] LengthsFrom(long offset, bool isRead) =>
        [.. _engine.Transfers.Where(t => t.IsRead == isRead && t.Offset >= offset && t.Offset < offset + (Length / 2)).Select(t =>
            t.Length)];

    private async Task PassAsync(SluiceStream stream, bool isAsync, bool writes, int bytes)
    {
        for (int done = 0; done < bytes; done += Step)
        {
            if (writes)
            {
                await stream.WriteAsync(_buffer, isAsync);
            }
            else
            {
                (await stream.ReadAsync(_buffer, isAsync)).ShouldBe(Step);
            }
        }
    }

    private SluiceStream Open(int bufferSize, bool isAsync) => new(_temp.NewFile(Length), new SluiceOptions
    {
        Access = FileAccess.ReadWrite,
        BufferSize = bufferSize,
        Options = isAsync ? FileOptions.Asynchronous : FileOptions.None,
        Engine = _engine,
    });
}
