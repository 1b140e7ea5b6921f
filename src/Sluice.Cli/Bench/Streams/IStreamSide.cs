namespace Sluice.Cli.Bench.Streams;

/// <summary>
/// A FileStream or a SluiceStream in a generic loop. Implementations are structures: the loop is compiled for each of them, so that calls
/// go directly to the type of the stream, as in a program that uses only this type.
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
