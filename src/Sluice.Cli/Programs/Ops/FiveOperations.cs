using System.Diagnostics;
using Sluice.Cli.Bench.Streams;

namespace Sluice.Cli.Programs.Ops;

/// <summary>
/// Open, read, write, seek and close, each timed alone on one file. Bytes are known, and what is read is compared with them: a
/// fast wrong answer is none.
/// </summary>
internal sealed class FiveOperations(string path, int sizeBytes, int chunkBytes, CancellationToken cancellationToken)
{
    private const int BytesBetweenLooks = 1 << 20;

    private readonly byte[] _chunk = Pattern(chunkBytes);
    private readonly byte[] _buffer = new byte[chunkBytes];

    private int Chunks => sizeBytes / chunkBytes;

    /// <param name="open">Opens the file to read and write, and makes it if it is missing, as the program's user would.</param>
    /// <exception cref="IOException">An operation failed, or read other bytes than were written.</exception>
    public IReadOnlyDictionary<FileOperation, TimeSpan> Run<TSide>(Func<string, TSide> open)
        where TSide : struct, IStreamSide<TSide>
    {
        File.Delete(path);
        return new Dictionary<FileOperation, TimeSpan>
        {
            [FileOperation.WriteChunk] = OnOpenFile(open, WriteChunks),
            [FileOperation.WriteByte] = OnOpenFile(open, WriteBytes),
            [FileOperation.ReadChunk] = OnOpenFile(open, ReadChunks),
            [FileOperation.ReadByte] = OnOpenFile(open, ReadBytes),
            [FileOperation.Seek] = OnOpenFile(open, Seek),
            [FileOperation.OpenClose] = Time(() => OpenAndClose(open)),
        };
    }

    private static byte[] Pattern(int length)
    {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++)
            bytes[i] = (byte)(i * 31 + 7);
        return bytes;
    }

    private static TimeSpan Time(Action action)
    {
        long start = Stopwatch.GetTimestamp();
        action();
        return Stopwatch.GetElapsedTime(start);
    }

    // Bytes that are still in the stream's buffer have not been written: the last flush is part of writing.
    private TimeSpan OnOpenFile<TSide>(Func<string, TSide> open, Action<TSide> action)
        where TSide : struct, IStreamSide<TSide>
    {
        cancellationToken.ThrowIfCancellationRequested();
        using TSide side = open(path);
        return Time(() =>
        {
            action(side);
            side.Stream.Flush();
        });
    }

    private void WriteChunks<TSide>(TSide side)
        where TSide : struct, IStreamSide<TSide>
    {
        for (int i = 0; i < Chunks; i++)
            side.Write(_chunk);
    }

    private void WriteBytes<TSide>(TSide side)
        where TSide : struct, IStreamSide<TSide>
    {
        for (int at = 0; at < Chunks; at++)
        {
            if (at * (long)chunkBytes % BytesBetweenLooks < chunkBytes)
                cancellationToken.ThrowIfCancellationRequested();
            foreach (byte value in _chunk)
                side.WriteByte(value);
        }
    }

    private void ReadChunks<TSide>(TSide side)
        where TSide : struct, IStreamSide<TSide>
    {
        for (int i = 0; i < Chunks; i++)
        {
            int filled = 0;
            int bytes;
            while (filled < _buffer.Length && (bytes = side.Read(_buffer.AsSpan(filled))) > 0)
                filled += bytes;
            if (!_buffer.AsSpan(0, filled).SequenceEqual(_chunk))
                ThrowWrong(i);
        }
        if (side.Read(_buffer) != 0)
            throw new IOException($"{path} is longer than what was written");
    }

    private void ReadBytes<TSide>(TSide side)
        where TSide : struct, IStreamSide<TSide>
    {
        for (int i = 0; i < Chunks; i++)
        {
            if (i * (long)chunkBytes % BytesBetweenLooks < chunkBytes)
                cancellationToken.ThrowIfCancellationRequested();
            foreach (byte expected in _chunk)
            {
                if (side.ReadByte() != expected)
                    ThrowWrong(i);
            }
        }
    }

    private void Seek<TSide>(TSide side)
        where TSide : struct, IStreamSide<TSide>
    {
        for (int i = 0; i < Chunks; i++)
        {
            // To where it is, as in the article: what is timed is the call, no arithmetic beside it.
            side.Position = side.Position;
        }
    }

    private void OpenAndClose<TSide>(Func<string, TSide> open)
        where TSide : struct, IStreamSide<TSide>
    {
        for (int i = 0; i < Chunks; i++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            open(path).Dispose();
        }
    }

    private void ThrowWrong(int chunk) => throw new IOException($"{path}: other bytes were read than written, in chunk {chunk}");
}

/// <summary>What is timed, in the order in which it runs: each reads what the ones before wrote.</summary>
internal enum FileOperation { WriteChunk, WriteByte, ReadChunk, ReadByte, Seek, OpenClose }
