using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Sluice.Cli.Load;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench.Sequential;

/// <summary>The suite sequential, which compares SluiceReader and SluiceWriter with FileStream, StreamReader and BinaryReader.</summary>
internal static class SequentialRows
{
    private const int MebiByte = (int)ByteSize.MiB;
    private const int FioDepth = 8;
    private const int RecordBytes = 100;
    private const int DistinctLines = 1000;

    public static Suite Create() => new(
        "sequential", 4, static scale => scale.StreamSliceTime,
        [
            Block("seq-read-direct", "cold sequential read of 1 GiB, direct",
                "a large file once, past the page cache; .NET: FileStream, 1 MiB, synchronous",
                OpenRead) with
            {
                Fio = new FioJob("read", MebiByte, FioDepth) { IsPass = true },
            },
            Block("seq-read-cached", "cold sequential read of 1 GiB, cached",
                "a large file once, through the page cache; .NET: 64 KiB asynchronous, and 1 MiB synchronous",
                static context =>
                {
                    string path = context.SequentialFile;
                    return new Contest(
                        Loops.Passes("Sluice", () => ReadBlocks(path, FileCaching.Cached)),
                        Loops.Passes(BenchTable.DotNetName, () => ReadStreamAsync(path)))
                    {
                        Second = Loops.Passes("FileStream 1 MiB", () => ReadStream(path)),
                    }.Prepared(() => BenchContext.DropCache(path));
                }),
            Block("seq-write-direct", "sequential write of 1 GiB, direct, preallocated",
                "a large new file, durable at the end on both sides; .NET: FileStream, 1 MiB, synchronous",
                OpenWrite) with
            {
                Fio = new FioJob("write", MebiByte, FioDepth) { IsPass = true },
            },
            Lines("seq-lines-bytes", "lines as bytes, hot", "no string for a line; .NET: StreamReader.ReadLine",
                static path => Contest.Passes(() => ReadLines(path), () => ReadStrings(path))),
            Lines("seq-lines-strings", "lines as strings, hot", "the same lines as strings; .NET: File.ReadLines",
                static path => Contest.Passes(() => ReadStringLines(path), () => Consume(File.ReadLines(path)))),
            Lines("seq-lines-async", "lines as bytes, asynchronous, hot", "await foreach; .NET: StreamReader.ReadLineAsync",
                static path => Contest.Passes(() => ReadLinesAsync(path), () => ReadStringsAsync(path))),
            new("seq-lines-written", "text written by lines",
                "WriteLine of strings of 99 characters into a new file; .NET: StreamWriter.WriteLine", OpenWriteLines)
            {
                BytesPerOperation = static scale => scale.LogFileBytes,
                Fills = PageCacheFill.Once,
            },
            Lines("seq-records", "records of 100 B as structs, hot", "spans over the block; .NET: BinaryReader, field by field",
                static path => Contest.Passes(() => ReadStructs(path), () => ReadFields(path))),
            Lines("seq-scan", "parallel scan counting lines, hot", "ScanAsync on 2 cores; beside it the same on one",
                static path => new Contest(
                    Loops.Passes("Sluice", () => ScanAsync(path, 2)), Loops.Passes("one core", () => ScanAsync(path, 1)))),
            new("seq-read-small-4k", "one 4 KiB file",
                "a reader made for large files must not cost much on a small one; .NET: File.ReadAllBytes",
                static context =>
                {
                    string path = context.SmallFile(4 * ByteSize.KiB);
                    return new Contest(
                        slice => Loops.Repeat(slice, _ => ReadBlocks(path, FileCaching.Cached, ByteToucher.Touch)),
                        slice => Loops.Repeat(slice, _ => ByteToucher.Touch(File.ReadAllBytes(path))));
                }),
        ]);

    private static Row Block(string id, string name, string why, Func<BenchContext, Contest> open) => new(id, name, why, open)
    {
        BytesPerOperation = static scale => scale.SequentialFileBytes,
        Fills = PageCacheFill.Once,
    };

    /// <summary>Creates a row that reads text in the page cache with lines of 100 bytes.</summary>
    private static Row Lines(string id, string name, string why, Func<string, Contest> open) =>
        new(id, name, why, context => open(context.LogFile)) { BytesPerOperation = static scale => scale.LogFileBytes };

    /// <summary>Compares a direct SluiceReader with a synchronous FileStream, which read a file that is not in the page cache.</summary>
    private static Contest OpenRead(BenchContext context)
    {
        string path = context.SequentialFile;
        DirectIo.Require(path, FileCaching.Direct);
        return Contest.Passes(() => ReadBlocks(path, FileCaching.Direct), () => ReadStream(path))
            .Prepared(() => BenchContext.DropCache(path));
    }

    /// <summary>
    /// Compares a direct SluiceWriter with a synchronous FileStream, which write a new, preallocated file in blocks and flush it to the disk.
    /// </summary>
    private static Contest OpenWrite(BenchContext context)
    {
        string path = context.ScratchFile("written.dat");
        long sizeBytes = context.Scale.SequentialFileBytes;
        File.WriteAllBytes(path, []);
        DirectIo.Require(path, FileCaching.Direct);
        ReadOnlyMemory<byte> block = PinnedBuffer.AllocateRandom(MebiByte, seed: 1);
        return Contest.Passes(WriteBlocks, WriteStream).Prepared(() => File.Delete(path));

        long WriteBlocks()
        {
            using var writer = new SluiceWriter(path, new SluiceWriterOptions
            {
                Caching = FileCaching.Direct,
                PreallocationSize = sizeBytes,
                FlushToDisk = true,
            });
            for (long written = 0; written < sizeBytes; written += block.Length)
                writer.Write(block.Span);
            return sizeBytes;
        }

        long WriteStream()
        {
            using var stream = new FileStream(path, new FileStreamOptions
            {
                Mode = FileMode.Create,
                Access = FileAccess.Write,
                BufferSize = 0,
                PreallocationSize = sizeBytes,
            });
            for (long written = 0; written < sizeBytes; written += block.Length)
                stream.Write(block.Span);
            stream.Flush(flushToDisk: true);
            return sizeBytes;
        }
    }

    private static long ReadBlocks(string path, FileCaching caching, Action<ReadOnlySpan<byte>>? touch = null)
    {
        using var reader = new SluiceReader(path, new SluiceReaderOptions { Caching = caching });
        long bytes = 0;
        while (reader.TryReadBlock(out ReadOnlySpan<byte> block))
        {
            bytes += block.Length;
            touch?.Invoke(block);
        }
        return bytes;
    }

    private static long ReadStream(string path)
    {
        using var stream = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0);
        Span<byte> buffer = PinnedBuffer.Allocate(MebiByte).Span;
        long bytes = 0;
        for (int read; (read = stream.Read(buffer)) > 0;)
            bytes += read;
        return bytes;
    }

    private static async ValueTask<long> ReadStreamAsync(string path)
    {
        Memory<byte> buffer = PinnedBuffer.Allocate((int)(64 * ByteSize.KiB));
        await using var stream = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0, useAsync: true);
        long bytes = 0;
        for (int read; (read = await stream.ReadAsync(buffer)) > 0;)
            bytes += read;
        return bytes;
    }

    private static Contest OpenWriteLines(BenchContext context)
    {
        string path = context.ScratchFile("written.txt");
        long sizeBytes = context.Scale.LogFileBytes;
        string[] lines = [.. File.ReadLines(context.LogFile).Take(DistinctLines)];
        return Contest.Passes(
            () =>
            {
                using var writer = new SluiceWriter(path);
                int next = 0;
                for (long written = 0; written < sizeBytes; written += LineBytes(lines[next]), next = (next + 1) % lines.Length)
                    writer.WriteLine(lines[next]);
                return sizeBytes;
            },
            () =>
            {
                using var writer = new StreamWriter(path);
                int next = 0;
                for (long written = 0; written < sizeBytes; written += LineBytes(lines[next]), next = (next + 1) % lines.Length)
                    writer.WriteLine(lines[next]);
                return sizeBytes;
            }).Prepared(() => File.Delete(path));

        // The text is ASCII, so a character is a byte.
        static int LineBytes(string line) => line.Length + Environment.NewLine.Length;
    }

    /// <returns>The number of bytes without line ends, as in the methods below.</returns>
    public static long ReadLines(string path)
    {
        using var reader = new SluiceReader(path);
        long length = 0;
        foreach (ReadOnlySpan<byte> line in reader.EnumerateLines())
            length += line.Length;
        return length;
    }

    public static long ReadStrings(string path)
    {
        using var reader = new StreamReader(path);
        long length = 0;
        while (reader.ReadLine() is { } line)
            length += line.Length;
        return length;
    }

    public static long ReadStringLines(string path)
    {
        using var reader = new SluiceReader(path);
        return Consume(reader.ReadStringLines());
    }

    public static long Consume(IEnumerable<string> lines)
    {
        long length = 0;
        foreach (string line in lines)
            length += line.Length;
        return length;
    }

    public static async ValueTask<long> ReadLinesAsync(string path)
    {
        using var reader = new SluiceReader(path);
        long length = 0;
        await foreach (ReadOnlyMemory<byte> line in reader.EnumerateLinesAsync())
            length += line.Length;
        return length;
    }

    public static async ValueTask<long> ReadStringsAsync(string path)
    {
        using var stream = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, 4096, useAsync: true);
        using var reader = new StreamReader(stream);
        long length = 0;
        while (await reader.ReadLineAsync() is { } line)
            length += line.Length;
        return length;
    }

    private static long ReadStructs(string path)
    {
        using var reader = new SluiceReader(path);
        long sum = 0;
        foreach (ReadOnlySpan<LogRecord> records in reader.EnumerateRecordBatches<LogRecord>())
        {
            foreach (ref readonly LogRecord record in records)
                sum += record.Kind + record.Values[0] + record.Values[LogRecord.FieldCount - 1];
        }
        return sum;
    }

    private static long ReadFields(string path)
    {
        using FileStream stream = File.OpenRead(path);
        using var reader = new BinaryReader(stream);
        long sum = 0;
        long count = stream.Length / RecordBytes;
        for (long i = 0; i < count; i++)
        {
            sum += reader.ReadInt32();
            for (int field = 0; field < LogRecord.FieldCount; field++)
                sum += reader.ReadInt64();
        }
        return sum;
    }

    private static async ValueTask<long> ScanAsync(string path, int degree)
    {
        long lines = 0;
        var options = new SluiceScanOptions { Degree = degree, Ordered = false };
        await foreach (int count in SluiceReader.ScanAsync(path, part => part.Bytes.Count((byte)'\n'), options))
            lines += count;
        return lines;
    }

    /// <summary>A record of 100 bytes: a number and twelve further fields.</summary>
    [StructLayout(LayoutKind.Sequential, Pack = 4)]
    private struct LogRecord
    {
        public const int FieldCount = 12;

        public int Kind;
        public Fields Values;

        [InlineArray(FieldCount)]
        public struct Fields
        {
            private long _first;
        }
    }
}
