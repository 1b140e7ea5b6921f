namespace Sluice.Cli.Bench.Streams;

/// <summary>
/// A FileStream or a SluiceStream under one loop. Sides are structures: a generic loop is compiled for each of them, so that calls go
/// to the stream's own type, as they do in a program that changes only the name.
/// </summary>
internal interface IStreamSide<TSelf> : IDisposable, IAsyncDisposable
    where TSelf : struct, IStreamSide<TSelf>
{
    static abstract string Name { get; }

    /// <summary>The stream, for methods that take any stream.</summary>
    Stream Stream { get; }

    long Length { get; }

    long Position { get; set; }

    static abstract TSelf Open(StreamOpening opening);

    int Read(Span<byte> buffer);

    void Write(ReadOnlySpan<byte> buffer);

    ValueTask<int> ReadAsync(Memory<byte> buffer);

    ValueTask WriteAsync(ReadOnlyMemory<byte> buffer);

    int ReadByte();

    void WriteByte(byte value);

    long Seek(long offset, SeekOrigin origin);

    void FlushToDisk();
}
