using Shouldly;
using Sluice.Cli.Bench.Streams;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Bench;

/// <summary>The loops do for either stream what their rows say.</summary>
public sealed class StreamPassesTests : IDisposable
{
    private const int FileBytes = 10_000;

    private readonly TempFolder _folder = new();
    private readonly byte[] _content = new byte[FileBytes];
    private readonly string _source;
    private readonly string _destination;

    public StreamPassesTests()
    {
        new Random(1).NextBytes(_content);
        _source = _folder["source.dat"];
        _destination = _folder["destination.dat"];
        File.WriteAllBytes(_source, _content);
    }

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(null)]
    [InlineData(0)]
    [InlineData(4096)]
    public async Task Reading_meets_the_whole_file(int? bufferSizeBytes)
    {
        StreamOpening opening = StreamOpening.Reading(_source, FileBytes, bufferSizeBytes: bufferSizeBytes);
        StreamOpening asynchronous = StreamOpening.Reading(_source, FileBytes, asynchronous: true, bufferSizeBytes);
        byte[] buffer = new byte[512];
        StreamPasses.Read<FileStreamSide>(opening, buffer).ShouldBe(FileBytes);
        StreamPasses.Read<SluiceStreamSide>(opening, buffer).ShouldBe(FileBytes);
        (await StreamPasses.ReadAsync<FileStreamSide>(asynchronous, buffer)).ShouldBe(FileBytes);
        (await StreamPasses.ReadAsync<SluiceStreamSide>(asynchronous, buffer)).ShouldBe(FileBytes);
        StreamPasses.ReadBytes<FileStreamSide>(opening).ShouldBe(FileBytes);
        StreamPasses.ReadBytes<SluiceStreamSide>(opening).ShouldBe(FileBytes);
        (await StreamPasses.ReadBytesAsync(asynchronous)).ShouldBe(FileBytes);
        StreamPasses.ReadInt32s<FileStreamSide>(opening).ShouldBe(FileBytes / 4);
        StreamPasses.ReadInt32s<SluiceStreamSide>(opening).ShouldBe(FileBytes / 4);
    }

    [Theory]
    [InlineData(null)]
    [InlineData(0)]
    [InlineData(4096)]
    public async Task Writing_leaves_the_buffer_over_and_over_until_the_file_is_full(int? bufferSizeBytes)
    {
        byte[] buffer = _content[..512];
        byte[] expected = [.. Enumerable.Range(0, FileBytes).Select(i => buffer[i % buffer.Length])];
        StreamOpening opening = StreamOpening.Writing(_destination, FileBytes, bufferSizeBytes: bufferSizeBytes);
        StreamOpening asynchronous = StreamOpening.Writing(_destination, FileBytes, asynchronous: true, bufferSizeBytes);
        StreamPasses.Write<FileStreamSide>(opening, buffer);
        TakeDestination().ShouldBe(expected);
        StreamPasses.Write<SluiceStreamSide>(opening, buffer);
        TakeDestination().ShouldBe(expected);
        await StreamPasses.WriteAsync<FileStreamSide>(asynchronous, buffer);
        TakeDestination().ShouldBe(expected);
        await StreamPasses.WriteAsync<SluiceStreamSide>(asynchronous, buffer);
        TakeDestination().ShouldBe(expected);
    }

    [Fact]
    public void Writing_bytes_leaves_them_counted_up()
    {
        byte[] expected = [.. Enumerable.Range(0, FileBytes).Select(i => (byte)i)];
        StreamOpening opening = StreamOpening.Writing(_destination, FileBytes);
        StreamPasses.WriteBytes<FileStreamSide>(opening).ShouldBe(FileBytes);
        TakeDestination().ShouldBe(expected);
        StreamPasses.WriteBytes<SluiceStreamSide>(opening).ShouldBe(FileBytes);
        TakeDestination().ShouldBe(expected);
    }

    [Fact]
    public async Task Copies_are_equal_and_sinks_get_every_byte()
    {
        StreamOpening source = StreamOpening.Reading(_source, FileBytes, asynchronous: true);
        StreamOpening destination = StreamOpening.Writing(_destination, FileBytes, asynchronous: true);
        (await StreamPasses.CopyAsync<FileStreamSide>(source, destination)).ShouldBe(FileBytes);
        TakeDestination().ShouldBe(_content);
        (await StreamPasses.CopyAsync<SluiceStreamSide>(source, destination)).ShouldBe(FileBytes);
        TakeDestination().ShouldBe(_content);
        (await StreamPasses.CopyToSinkAsync<FileStreamSide>(source)).ShouldBe(FileBytes);
        (await StreamPasses.CopyToSinkAsync<SluiceStreamSide>(source)).ShouldBe(FileBytes);
    }

    [Fact]
    public async Task Lines_are_counted()
    {
        await File.WriteAllTextAsync(_destination, string.Concat(Enumerable.Repeat("line\n", 1000)));
        StreamOpening opening = StreamOpening.Reading(_destination, 5000);
        StreamOpening asynchronous = StreamOpening.Reading(_destination, 5000, asynchronous: true);
        StreamPasses.ReadLines<FileStreamSide>(opening).ShouldBe(1000);
        StreamPasses.ReadLines<SluiceStreamSide>(opening).ShouldBe(1000);
        (await StreamPasses.ReadLinesAsync<FileStreamSide>(asynchronous)).ShouldBe(1000);
        (await StreamPasses.ReadLinesAsync<SluiceStreamSide>(asynchronous)).ShouldBe(1000);
    }

    [Fact]
    public async Task A_file_that_is_not_as_long_as_it_should_be_gives_no_figure()
    {
        StreamOpening opening = StreamOpening.Reading(_source, FileBytes + 1);
        Should.Throw<IOException>(() => StreamPasses.Read<SluiceStreamSide>(opening, new byte[512]));
        Should.Throw<IOException>(() => StreamPasses.ReadBytes<SluiceStreamSide>(opening));
        await Should.ThrowAsync<IOException>(async () => await StreamPasses.ReadAsync<SluiceStreamSide>(opening, new byte[512]));
        await Should.ThrowAsync<IOException>(async () => await StreamPasses.CopyToSinkAsync<SluiceStreamSide>(opening));
    }

    // Gone afterwards, so that the next pass cannot be credited with it.
    private byte[] TakeDestination()
    {
        byte[] content = File.ReadAllBytes(_destination);
        File.Delete(_destination);
        return content;
    }
}
