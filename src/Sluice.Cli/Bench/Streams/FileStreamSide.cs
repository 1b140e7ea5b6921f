namespace Sluice.Cli.Bench.Streams;

/// <summary>A FileStream. It cannot open a file for direct I/O, so Sluice opens the file and the stream uses its descriptor.</summary>
internal readonly struct FileStreamSide : IStreamSide<FileStreamSide>
{
    private readonly FileStream _stream;
    private readonly SluiceHandle? _opener;

    private FileStreamSide(FileStream stream, SluiceHandle? opener = null)
    {
        _stream = stream;
        _opener = opener;
    }

    public static string Name => ".NET";

    public Stream Stream => _stream;

    public long Length => _stream.Length;

    public long Position { get => _stream.Position; set => _stream.Position = value; }

    public static FileStreamSide Open(StreamOpening opening)
    {
        if (opening.Caching == FileCaching.Cached)
            return new FileStreamSide(new FileStream(opening.Path, opening.DotNet));
        SluiceHandle opener = SluiceHandle.Open(opening.Path, opening.Sluice);
        // The buffer is turned off because FileStream's buffer is not aligned.
        return new FileStreamSide(
            new FileStream(opener.SafeFileHandle, opening.Access, bufferSize: 0, opener.SafeFileHandle.IsAsync), opener);
    }

    public int Read(Span<byte> buffer) => _stream.Read(buffer);

    public void Write(ReadOnlySpan<byte> buffer) => _stream.Write(buffer);

    public ValueTask<int> ReadAsync(Memory<byte> buffer) => _stream.ReadAsync(buffer);

    public ValueTask WriteAsync(ReadOnlyMemory<byte> buffer) => _stream.WriteAsync(buffer);

    public int ReadByte() => _stream.ReadByte();

    public void WriteByte(byte value) => _stream.WriteByte(value);

    public long Seek(long offset, SeekOrigin origin) => _stream.Seek(offset, origin);

    public void FlushToDisk() => _stream.Flush(flushToDisk: true);

    public void Dispose()
    {
        _stream.Dispose();
        _opener?.Dispose();
    }

    public ValueTask DisposeAsync()
    {
        if (_opener is null)
            return _stream.DisposeAsync();
        Dispose();
        return ValueTask.CompletedTask;
    }
}
