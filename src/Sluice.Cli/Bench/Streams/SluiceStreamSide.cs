namespace Sluice.Cli.Bench.Streams;

internal readonly struct SluiceStreamSide : IStreamSide<SluiceStreamSide>
{
    private readonly SluiceStream _stream;

    private SluiceStreamSide(SluiceStream stream) => _stream = stream;

    public static string Name => "Sluice";

    public Stream Stream => _stream;

    public long Length => _stream.Length;

    public long Position { get => _stream.Position; set => _stream.Position = value; }

    public static SluiceStreamSide Open(StreamOpening opening) => new(new SluiceStream(opening.Path, opening.Sluice));

    public int Read(Span<byte> buffer) => _stream.Read(buffer);

    public void Write(ReadOnlySpan<byte> buffer) => _stream.Write(buffer);

    public ValueTask<int> ReadAsync(Memory<byte> buffer) => _stream.ReadAsync(buffer);

    public ValueTask WriteAsync(ReadOnlyMemory<byte> buffer) => _stream.WriteAsync(buffer);

    public int ReadByte() => _stream.ReadByte();

    public void WriteByte(byte value) => _stream.WriteByte(value);

    public long Seek(long offset, SeekOrigin origin) => _stream.Seek(offset, origin);

    public void FlushToDisk() => _stream.Flush(flushToDisk: true);

    public ValueTask<int> ReadByteAsync() => _stream.ReadByteAsync();

    public void Dispose() => _stream.Dispose();

    public ValueTask DisposeAsync() => _stream.DisposeAsync();
}
