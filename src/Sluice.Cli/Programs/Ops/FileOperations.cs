using Sluice.Cli.Bench.Streams;
using Sluice.Cli.Load;
using Sluice.Cli.Programs.Measuring;

namespace Sluice.Cli.Programs.Ops;

/// <summary>
/// The operations of the article "File I/O Performance Tips" on a file with one stream type. The data that is read is compared with the
/// data that was written.
/// </summary>
internal sealed class FileOperations<TSide>(IoSide side, string path, int sizeBytes, int chunkBytes, CancellationToken cancellationToken)
    where TSide : struct, IStreamSide
{
    private const int BytesBetweenChecks = 1 << 20;

    private readonly StreamOpening _opening =
        new(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, lengthBytes: 0) { Share = FileShare.None };

    private readonly byte[] _chunk = [.. Enumerable.Range(0, chunkBytes).Select(i => (byte)((i * 31) + 7))];
    private readonly byte[] _buffer = new byte[chunkBytes];

    private int Chunks => sizeBytes / chunkBytes;

    /// <summary>
    /// The operations in the order of the first round, in which the first one creates the file. All of them leave the same content, so that
    /// later rounds may have another order.
    /// </summary>
    public IReadOnlyList<TimedRow> Rows =>
    [
        OnOpenFile("Write Chunk", WriteChunks) with { NewFile = path },
        OnOpenFile("Write Byte", WriteBytes),
        OnOpenFile("Read Chunk", ReadChunks),
        OnOpenFile("Read Byte", ReadBytes),
        OnOpenFile("Seek", Seek),
        Row("Open+Close", OpenAndClose),
    ];

    // The measured time of each operation on an open file includes a flush of the stream's buffer.
    private TimedRow OnOpenFile(string operation, Func<Stream, string?> run)
    {
        Stream? opened = null;
        return Row(operation, () =>
        {
            string? difference = run(opened!);
            opened!.Flush();
            return difference;
        }) with
        {
            Open = () => opened = TSide.Open(_opening),
        };
    }

    /// <param name="run">The operation. It returns a description of wrong data, or null.</param>
    private TimedRow Row(string operation, Func<string?> run) =>
        new(operation, TSide.Name, side, sizeBytes, () => Task.FromResult<object?>(run()), difference => (string?)difference);

    private string? WriteChunks(Stream stream)
    {
        for (int i = 0; i < Chunks; i++)
            stream.Write(_chunk);
        return null;
    }

    private string? WriteBytes(Stream stream)
    {
        for (int i = 0; i < Chunks; i++)
        {
            Look(i);
            foreach (byte value in _chunk)
                TSide.WriteByte(stream, value);
        }
        return null;
    }

    private string? ReadChunks(Stream stream)
    {
        for (int i = 0; i < Chunks; i++)
        {
            int filled = stream.ReadAtLeast(_buffer, _buffer.Length, throwOnEndOfStream: false);
            if (!_buffer.AsSpan(0, filled).SequenceEqual(_chunk))
                return OtherBytes(i);
        }
        return stream.Read(_buffer) == 0 ? null : "more bytes than were written";
    }

    private string? ReadBytes(Stream stream)
    {
        for (int i = 0; i < Chunks; i++)
        {
            Look(i);
            foreach (byte expected in _chunk)
            {
                if (TSide.ReadByte(stream) != expected)
                    return OtherBytes(i);
            }
        }
        return null;
    }

    private string? Seek(Stream stream)
    {
        for (int i = 0; i < Chunks; i++)
        {
            // Sets the current position, as in "File I/O Performance Tips", so that only the call is timed and no arithmetic.
            stream.Position = stream.Position;
        }
        return null;
    }

    private string? OpenAndClose()
    {
        for (int i = 0; i < Chunks; i++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            TSide.Open(_opening).Dispose();
        }
        return null;
    }

    private void Look(int chunk)
    {
        if (chunk * (long)chunkBytes % BytesBetweenChecks < chunkBytes)
            cancellationToken.ThrowIfCancellationRequested();
    }

    private static string OtherBytes(int chunk) => $"other bytes were read than written, in chunk {chunk}";
}
