using System.Runtime.CompilerServices;

namespace Sluice.Cli.Bench.Streams;

/// <summary>
/// A type of stream in a generic loop. Implementations are structures: the loop is compiled for each of them, so that the runtime optimizes
/// its calls for this type of stream, as in a program that uses only this type.
/// </summary>
internal interface IStreamSide
{
    static abstract string Name { get; }

    static abstract Stream Open(StreamOpening opening);

    /// <summary>Reads a byte by a call of the stream's own type, because a call of <see cref="Stream"/> takes longer than the work.</summary>
    static abstract int ReadByte(Stream stream);

    /// <inheritdoc cref="ReadByte"/>
    static abstract void WriteByte(Stream stream, byte value);

    static abstract void FlushToDisk(Stream stream);
}

internal readonly struct SluiceStreamSide : IStreamSide
{
    public static string Name => "Sluice";

    public static Stream Open(StreamOpening opening) => new SluiceStream(opening.Path, opening.Sluice);

    // A checked cast would take a considerable part of the time of a byte.
    public static int ReadByte(Stream stream) => Unsafe.As<SluiceStream>(stream).ReadByte();

    public static void WriteByte(Stream stream, byte value) => Unsafe.As<SluiceStream>(stream).WriteByte(value);

    public static void FlushToDisk(Stream stream) => ((SluiceStream)stream).Flush(flushToDisk: true);
}

internal readonly struct FileStreamSide : IStreamSide
{
    public static string Name => ".NET";

    public static Stream Open(StreamOpening opening) => new FileStream(opening.Path, opening.DotNet);

    public static int ReadByte(Stream stream) => stream.ReadByte();

    public static void WriteByte(Stream stream, byte value) => stream.WriteByte(value);

    public static void FlushToDisk(Stream stream) => ((FileStream)stream).Flush(flushToDisk: true);
}
