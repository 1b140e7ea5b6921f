using System.Diagnostics;
using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Streams;

namespace Sluice.Cli.Programs.Ops;

/// <summary>
/// The operations of the article "File I/O Performance Tips", each timed separately on a file for each stream type. The data that is read
/// is compared with the data that was written.
/// </summary>
internal static class FileOperations
{
    /// <summary>The names of the operations in their order: each operation reads what the preceding ones wrote.</summary>
    public static IReadOnlyList<string> Names { get; } = ["Write Chunk", "Write Byte", "Read Chunk", "Read Byte", "Seek", "Open+Close"];
}

/// <summary>The operations of one stream type.</summary>
/// <param name="runs">The number of times that an operation runs in one slice.</param>
internal sealed class FileOperations<TSide>(string path, int sizeBytes, int chunkBytes, int runs, CancellationToken cancellationToken)
    where TSide : struct, IStreamSide
{
    private const int BytesBetweenChecks = 1 << 20;

    private readonly StreamOpening _opening =
        new(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, lengthBytes: 0) { Share = FileShare.None };

    private readonly byte[] _chunk = [.. Enumerable.Range(0, chunkBytes).Select(i => (byte)((i * 31) + 7))];
    private readonly byte[] _buffer = new byte[chunkBytes];

    private int Chunks => sizeBytes / chunkBytes;

    public IReadOnlyList<Contender> Contenders =>
    [
        OnOpenFile(0, WriteChunks, isNew: true), OnOpenFile(1, WriteBytes), OnOpenFile(2, ReadChunks), OnOpenFile(3, ReadBytes),
        OnOpenFile(4, Seek), Timed(5, OpenAndClose, isNew: false),
    ];

    // The measured time of each operation on an open file includes a flush of the stream's buffer.
    private Contender OnOpenFile(int operation, Action<Stream> action, bool isNew = false) => Timed(operation, () =>
    {
        using Stream stream = TSide.Open(_opening);
        long start = Stopwatch.GetTimestamp();
        action(stream);
        stream.Flush();
        return Stopwatch.GetTimestamp() - start;
    }, isNew);

    private Contender Timed(int operation, Func<long> run, bool isNew) => new(
        $"{FileOperations.Names[operation]}, {TSide.Name}", Loops.Runs(runs, run, cancellationToken))
    {
        MeasuresAllocations = true,
        Prepare = () =>
        {
            if (isNew)
                File.Delete(path);
            Settling.FileSystemOf(Path.GetDirectoryName(path)!);
            Settling.Memory();
        },
    };

    private void WriteChunks(Stream stream)
    {
        for (int i = 0; i < Chunks; i++)
            stream.Write(_chunk);
    }

    private void WriteBytes(Stream stream)
    {
        for (int i = 0; i < Chunks; i++)
        {
            Look(i);
            foreach (byte value in _chunk)
                TSide.WriteByte(stream, value);
        }
    }

    private void ReadChunks(Stream stream)
    {
        for (int i = 0; i < Chunks; i++)
        {
            int filled = 0;
            for (int bytes; filled < _buffer.Length && (bytes = stream.Read(_buffer.AsSpan(filled))) > 0;)
                filled += bytes;
            if (!_buffer.AsSpan(0, filled).SequenceEqual(_chunk))
                ThrowWrong(i);
        }
        if (stream.Read(_buffer) != 0)
            throw new IOException($"{path} is longer than what was written");
    }

    private void ReadBytes(Stream stream)
    {
        for (int i = 0; i < Chunks; i++)
        {
            Look(i);
            foreach (byte expected in _chunk)
            {
                if (TSide.ReadByte(stream) != expected)
                    ThrowWrong(i);
            }
        }
    }

    private void Seek(Stream stream)
    {
        for (int i = 0; i < Chunks; i++)
        {
            // Sets the current position, as in "File I/O Performance Tips", so that only the call is timed and no arithmetic.
            stream.Position = stream.Position;
        }
    }

    private long OpenAndClose()
    {
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < Chunks; i++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            TSide.Open(_opening).Dispose();
        }
        return Stopwatch.GetTimestamp() - start;
    }

    private void Look(int chunk)
    {
        if (chunk * (long)chunkBytes % BytesBetweenChecks < chunkBytes)
            cancellationToken.ThrowIfCancellationRequested();
    }

    private void ThrowWrong(int chunk) => throw new IOException($"{path}: other bytes were read than written, in chunk {chunk}");
}
