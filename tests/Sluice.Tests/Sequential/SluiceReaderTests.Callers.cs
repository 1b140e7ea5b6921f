namespace Sluice.Tests.Sequential;

/// <summary>What the caller's own code does: throws, cancels.</summary>
public sealed partial class SluiceReaderTests
{
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
