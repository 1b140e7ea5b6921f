using Sluice.Cli.Load;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Bench.Sequential;

/// <summary>Whole files in blocks.</summary>
internal static class BlockRows
{
    private const int MebiByte = (int)ByteSize.MiB;
    private const int FioDepth = 8;

    public static Row ReadDirect() => new(
        "seq-read-direct", "cold sequential read of 1 GiB, direct",
        "a large file once, past the page cache; .NET: FileStream, 1 MiB, synchronous",
        context => OpenRead(context.SequentialFile, FileCaching.Direct))
    {
        BytesPerOperation = scale => scale.SequentialFileBytes,
        FillsPageCache = true,
        Fio = new FioJob("read", MebiByte, FioDepth) { IsPass = true },
    };

    public static Row ReadCached() => new(
        "seq-read-cached", "cold sequential read of 1 GiB, cached",
        "a large file once, through the page cache; .NET: 64 KiB asynchronous, and 1 MiB synchronous",
        context =>
        {
            string path = context.SequentialFile;
            Action drop = () => DropCache(path);
            return new Contest(
                Loops.Whole(() => ReadBlocks(path, FileCaching.Cached)), Loops.Whole(() => ReadStreamAsync(path)), drop)
            {
                Second = new Contender("FileStream 1 MiB", Loops.Whole(() => ReadStream(path))) { Prepare = drop },
            };
        })
    {
        BytesPerOperation = scale => scale.SequentialFileBytes,
        FillsPageCache = true,
    };

    public static Row WriteDirect() => new(
        "seq-write-direct", "sequential write of 1 GiB, direct, preallocated",
        "a large new file, durable at the end on both sides; .NET: FileStream, 1 MiB, synchronous",
        context => OpenWrite(
            context.ScratchFile("written.dat"), context.Scale.SequentialFileBytes, FileCaching.Direct, preallocates: true))
    {
        BytesPerOperation = scale => scale.SequentialFileBytes,
        FillsPageCache = true,
        Fio = new FioJob("write", MebiByte, FioDepth) { IsPass = true },
    };

    public static Row ReadSmall() => new(
        "seq-read-small-4k", "one 4 KiB file", "a reader made for large files must not cost much on a small one; .NET: File.ReadAllBytes",
        context =>
        {
            string path = context.SmallFile(4 * ByteSize.KiB);
            return new Contest(
                slice => Loops.Repeat(slice, _ => TouchBlocks(path)),
                slice => Loops.Repeat(slice, _ => ByteToucher.Touch(File.ReadAllBytes(path))));
        });

    /// <summary>Reads a file once, cold, in blocks of a reader and of a synchronous FileStream.</summary>
    public static Contest OpenRead(string path, FileCaching caching)
    {
        DirectIo.Require(path, caching);
        return new Contest(Loops.Whole(() => ReadBlocks(path, caching)), Loops.Whole(() => ReadStream(path)), () => DropCache(path));
    }

    /// <summary>Writes a new file that is durable at the end, in blocks of a writer and of a synchronous FileStream.</summary>
    /// <param name="path">Where.</param>
    /// <param name="sizeBytes">How long.</param>
    /// <param name="caching">The writer's.</param>
    /// <param name="preallocates">Whether both say how long it will be.</param>
    public static Contest OpenWrite(string path, long sizeBytes, FileCaching caching, bool preallocates)
    {
        File.WriteAllBytes(path, []);
        DirectIo.Require(path, caching);
        ReadOnlyMemory<byte> block = PinnedBuffer.AllocateRandom(MebiByte, seed: 1);
        long reserved = preallocates ? sizeBytes : 0;
        return new Contest(
            Loops.Whole(() => WriteBlocks(path, sizeBytes, reserved, caching, block)),
            Loops.Whole(() => WriteStream(path, sizeBytes, reserved, block)), () => File.Delete(path));
    }

    private static void DropCache(string path)
    {
        using SluiceHandle handle = SluiceHandle.Open(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        PageCache.Drop(handle.SafeFileHandle);
    }

    private static void ReadBlocks(string path, FileCaching caching)
    {
        using var reader = new SluiceReader(path, new SluiceReaderOptions { Caching = caching });
        while (reader.TryReadBlock(out ReadOnlySpan<byte> block))
            _ = block[^1];
    }

    private static void TouchBlocks(string path)
    {
        using var reader = new SluiceReader(path);
        while (reader.TryReadBlock(out ReadOnlySpan<byte> block))
            ByteToucher.Touch(block);
    }

    private static void ReadStream(string path)
    {
        using var stream = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0);
        Span<byte> buffer = PinnedBuffer.Allocate(MebiByte).Span;
        while (stream.Read(buffer) > 0)
        {
        }
    }

    private static async Task ReadStreamAsync(string path)
    {
        Memory<byte> buffer = PinnedBuffer.Allocate((int)(64 * ByteSize.KiB));
        await using var stream = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0, useAsync: true);
        while (await stream.ReadAsync(buffer) > 0)
        {
        }
    }

    private static void WriteBlocks(string path, long sizeBytes, long reservedBytes, FileCaching caching, ReadOnlyMemory<byte> block)
    {
        using var writer = new SluiceWriter(path, new SluiceWriterOptions
        {
            Caching = caching,
            PreallocationSize = reservedBytes,
            FlushToDisk = true,
        });
        for (long written = 0; written < sizeBytes; written += block.Length)
            writer.Write(block.Span);
    }

    private static void WriteStream(string path, long sizeBytes, long reservedBytes, ReadOnlyMemory<byte> block)
    {
        using var stream = new FileStream(path, new FileStreamOptions
        {
            Mode = FileMode.Create,
            Access = FileAccess.Write,
            BufferSize = 0,
            PreallocationSize = reservedBytes,
        });
        for (long written = 0; written < sizeBytes; written += block.Length)
            stream.Write(block.Span);
        stream.Flush(flushToDisk: true);
    }
}
