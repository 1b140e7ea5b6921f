using System.Text;
using Sluice.Memory;

namespace Sluice.Tests.Sequential;

/// <summary>What the caller's own code does: throws, cancels, disposes from another thread.</summary>
public sealed partial class SluiceReaderTests
{
    private const int LineBytes = 50;
    private const int LineCount = 8_000;

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task An_exception_of_the_progress_reaches_the_caller_and_loses_nothing(string engine, FileCaching caching)
    {
        byte[] content = Bytes.Pattern(30_000);
        string path = _temp.NewFile(content);
        foreach (bool isAsync in (bool[])[false, true])
        {
            bool hasThrown = true;
            for (int count = 1; hasThrown; count++)
            {
                ThrowingProgress progress = new(count);
                using SluiceReader reader = SequentialCases.Reader(path, engine, caching, 4096, 2, progress: progress);
                MemoryStream read = new();
                int thrown = 0;
                while (true)
                {
                    try
                    {
                        ReadOnlyMemory<byte> block = isAsync ? await reader.ReadBlockAsync() : reader.BlockOrEmpty().ToArray();
                        if (block.IsEmpty)
                        {
                            break;
                        }

                        read.Write(block.Span);
                    }
                    catch (InvalidTimeZoneException)
                    {
                        thrown++;
                    }
                }

                hasThrown = progress.HasThrown;
                thrown.ShouldBe(hasThrown ? 1 : 0);
                read.ToArray().ShouldBeBytes(content, $"call {count}, async {isAsync}");
            }
        }
    }

    [Fact]
    public async Task A_cancellation_that_the_progress_throws_is_one()
    {
        using SluiceReader reader = SequentialCases.Reader(
            _temp.NewFile(10_000), "own", FileCaching.Cached, 4096, progress: new ThrowingProgress(1, new OperationCanceledException()));
        Task<ReadOnlyMemory<byte>> task = reader.ReadBlockAsync().AsTask();
        await Should.ThrowAsync<OperationCanceledException>(() => task);
        task.IsCanceled.ShouldBeTrue();
        (await reader.ReadBlockAsync()).Length.ShouldBe(4096);
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void A_value_that_failed_can_be_read_again(string engine, FileCaching caching)
    {
        long[] numbers = [.. Enumerable.Range(0, 2000).Select(i => (long)i << 20)];
        string path = _temp.NewFile([1, 2, 3, .. System.Runtime.InteropServices.MemoryMarshal.AsBytes<long>(numbers)]);
        for (int count = 2; count < 5; count++)
        {
            ThrowingProgress progress = new(count);
            using SluiceReader reader = SequentialCases.Reader(path, engine, caching, 4096, 2, progress: progress);
            reader.ReadExactly(new byte[3]);
            int thrown = 0;
            for (int i = 0; i < numbers.Length;)
            {
                try
                {
                    reader.ReadInt64().ShouldBe(numbers[i]);
                    i++;
                }
                catch (InvalidTimeZoneException)
                {
                    reader.Position.ShouldBe(3 + (8L * i));
                    thrown++;
                }
            }

            thrown.ShouldBe(1);
        }
    }

    [Fact]
    public void A_string_that_failed_can_be_read_again()
    {
        string text = new('x', 10_000);
        string path = _temp.NewPath();
        using (SluiceWriter writer = new(path))
        {
            writer.WriteByte(1);
            writer.WriteString(text);
        }

        ThrowingProgress progress = new(count: 2);
        using SluiceReader reader = SequentialCases.Reader(path, "own", FileCaching.Cached, 4096, progress: progress);
        reader.ReadByte().ShouldBe((byte)1);
        Should.Throw<InvalidTimeZoneException>(() => reader.ReadString());
        reader.Position.ShouldBe(1);
        reader.ReadString().ShouldBe(text);
    }

    [Theory]
    [InlineData("blocks")]
    [InlineData("blocks, async")]
    [InlineData("lines")]
    [InlineData("lines, async")]
    [InlineData("one line")]
    [InlineData("strings")]
    [InlineData("records")]
    [InlineData("records, async")]
    [InlineData("values")]
    [InlineData("bytes")]
    [InlineData("stream")]
    public async Task Disposed_by_another_thread_every_call_ends_with_ObjectDisposedException(string how)
    {
        // Lines of one kind only: a line of the other file would show.
        string path = _temp.NewFile(
            Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat(new string('a', LineBytes - 2) + "\r\n", LineCount))));
        string otherPath = _temp.NewFile(
            Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat(new string('b', LineBytes - 2) + "\r\n", LineCount))));
        int disposed = 0;
        int secondReturns = AlignedBufferPool.SecondReturns;
        foreach (FileCaching caching in (FileCaching[])[FileCaching.Cached, FileCaching.Direct])
        {
            for (int round = 0; round < 10; round++)
            {
                SluiceReader reader = SequentialCases.Reader(path, "own", caching, 8192, 3);
                using ManualResetEventSlim started = new();
                int delay = round * 100;
                Task disposing = Task.Run(() =>
                {
                    started.Wait();
                    Thread.SpinWait(delay);
                    reader.Dispose();

                    // Whoever gets the memory next writes into it.
                    using SluiceReader other = SequentialCases.Reader(otherPath, "own", caching, 8192, 3);
                    while (other.TryReadBlock(out _))
                    {
                    }
                });
                Exception? error = await Record.ExceptionAsync(() => ReadAsync(reader, how, started));
                started.Set();
                await disposing;
                if (error is not null)
                {
                    error.ShouldBeOfType<ObjectDisposedException>($"{how}, {caching}, round {round}");
                    disposed++;
                }
            }
        }

        disposed.ShouldBeGreaterThan(0);
        AlignedBufferPool.SecondReturns.ShouldBe(secondReturns);
    }

    /// <summary>
    /// Reads to the end, over and over, until the reader is disposed of; asserts that every byte is the file's, and that the end is the
    /// end.
    /// </summary>
    private static async Task ReadAsync(SluiceReader reader, string how, ManualResetEventSlim started)
    {
        while (true)
        {
            long before = reader.Position;
            long count = 0;
            bool isBytes = how is "blocks" or "blocks, async" or "stream" or "records" or "records, async" or "values" or "bytes";
            switch (how)
            {
                case "blocks":
                    while (reader.TryReadBlock(out ReadOnlySpan<byte> block))
                    {
                        count += Count(block);
                    }

                    break;
                case "blocks, async":
                    while (await reader.ReadBlockAsync() is { IsEmpty: false } block)
                    {
                        count += Count(block.Span);
                    }

                    break;
                case "lines":
                    foreach (ReadOnlySpan<byte> line in reader.EnumerateLines())
                    {
                        count += Count(line);
                    }

                    break;
                case "lines, async":
                    await foreach (ReadOnlyMemory<byte> line in reader.EnumerateLinesAsync())
                    {
                        count += Count(line.Span);
                    }

                    break;
                case "one line":
                    while (reader.TryReadLine(out ReadOnlySpan<byte> line))
                    {
                        count += Count(line);
                    }

                    break;
                case "strings":
                    foreach (string line in reader.ReadStringLines())
                    {
                        count += Count(Encoding.ASCII.GetBytes(line));
                    }

                    break;
                case "records":
                    foreach (ReadOnlySpan<short> records in reader.EnumerateRecordBatches<short>())
                    {
                        count += Count(System.Runtime.InteropServices.MemoryMarshal.AsBytes(records));
                    }

                    break;
                case "records, async":
                    await foreach (ReadOnlyMemory<short> records in reader.EnumerateRecordBatchesAsync<short>())
                    {
                        count += Count(System.Runtime.InteropServices.MemoryMarshal.AsBytes(records.Span));
                    }

                    break;
                case "values":
                    for (int i = 0; i < LineBytes * LineCount / 8; i++)
                    {
                        count += Count(BitConverter.GetBytes(reader.ReadInt64()));
                    }

                    break;
                case "bytes":
                    byte[] buffer = new byte[1000];
                    for (int read; (read = reader.Read(buffer)) > 0;)
                    {
                        count += Count(buffer.AsSpan(0, read));
                    }

                    break;
                default:
                    byte[] bytes = new byte[1000];
                    Stream stream = reader.AsStream();
                    for (int read; (read = await stream.ReadAsync(bytes)) > 0;)
                    {
                        count += Count(bytes.AsSpan(0, read));
                    }

                    break;
            }

            count.ShouldBe((isBytes ? LineBytes : LineBytes - 2) * LineCount, "a false end");
            before.ShouldBe(0);
            reader.Seek(0);
        }

        int Count(ReadOnlySpan<byte> bytes)
        {
            started.Set();
            bytes.ContainsAnyExcept("a\r\n"u8).ShouldBeFalse("a foreign byte");
            return bytes.Length;
        }
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task A_reader_is_a_stream(string engine, FileCaching caching)
    {
        byte[] content = Bytes.Pattern(60_000);
        string path = _temp.NewFile(content);
        SluiceReader reader = SequentialCases.Reader(path, engine, caching, 4096, 3);
        reader.ReadByte();
        Stream stream = reader.AsStream();
        (stream.CanRead, stream.CanSeek, stream.CanWrite, stream.Length, stream.Position).ShouldBe((true, true, false, 60_000L, 1L));
        byte[] read = new byte[20_000];
        stream.ReadByte().ShouldBe(content[1]);
        stream.ReadExactly(read, 0, 9_998);
        await stream.ReadExactlyAsync(read.AsMemory(9_998, 10_000));
        read.AsSpan(0, 19_998).ToArray().ShouldBeBytes(content.AsSpan(2, 19_998));
        using MemoryStream rest = new();
        await stream.CopyToAsync(rest);
        rest.ToArray().ShouldBeBytes(content.AsSpan(20_000));
        stream.ReadByte().ShouldBe(-1);
        stream.Seek(-100, SeekOrigin.End).ShouldBe(59_900);
        stream.Seek(50, SeekOrigin.Current).ShouldBe(59_950);
        rest.SetLength(0);
        stream.CopyTo(rest);
        rest.ToArray().ShouldBeBytes(content.AsSpan(59_950));
        Should.Throw<IOException>(() => stream.Seek(-1, SeekOrigin.Begin));
        Should.Throw<NotSupportedException>(() => stream.WriteByte(1));
        stream.Position = 0;
        CancellationToken cancelled = new(canceled: true);
        await Should.ThrowAsync<OperationCanceledException>(() => stream.ReadAsync(read, cancelled).AsTask());
        stream.ReadByte();
        await Should.ThrowAsync<OperationCanceledException>(() => stream.ReadAsync(read, cancelled).AsTask());
        await Should.ThrowAsync<OperationCanceledException>(() => stream.CopyToAsync(rest, cancelled));
        stream.Position.ShouldBe(1);
        Should.Throw<ArgumentOutOfRangeException>(() => stream.Position = -1).ParamName.ShouldBe("value");
        Should.Throw<ArgumentException>(() => stream.Seek(0, (SeekOrigin)3)).ParamName.ShouldBe("origin");
        await stream.DisposeAsync();
        stream.CanRead.ShouldBeFalse();
        Should.Throw<ObjectDisposedException>(() => stream.ReadByte());
        Should.Throw<ObjectDisposedException>(() => stream.Read([], 0, 0));
        await Should.ThrowAsync<ObjectDisposedException>(() => stream.ReadAsync(Memory<byte>.Empty).AsTask());
        Should.Throw<ObjectDisposedException>(stream.Flush);
        await Should.ThrowAsync<ObjectDisposedException>(stream.FlushAsync);
        Should.Throw<ObjectDisposedException>(() => reader.ReadByte());
    }
}
