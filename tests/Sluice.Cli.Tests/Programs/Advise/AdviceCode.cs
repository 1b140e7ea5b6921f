using Microsoft.Win32.SafeHandles;

namespace Sluice.Cli.Tests.Programs.Advise;

/// <summary>
/// Compiles the lines of C# that `sluice advise` prints; each stands here unchanged, at the beginning of a line. Nothing is run.
/// <see cref="AdviceCodeTests"/> finds the lines in this file.
/// </summary>
internal static class AdviceCode
{
    public static void Read(string path, byte[] buffer)
    {
        {
            using FileStream stream = File.OpenRead(path); while (stream.Read(buffer) > 0)
                continue;
        }
        {
            using FileStream stream = new(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0); while (stream.Read(buffer) > 0)
                continue;
        }
        {
            using SluiceStream stream = new(path, FileMode.Open, FileAccess.Read); while (stream.Read(buffer) > 0)
                continue;
        }
        {
            using SluiceReader reader = new(path); while (reader.TryReadBlock(out ReadOnlySpan<byte> block))
                block.CopyTo(buffer);
        }
        {
            using SluiceReader reader = new(path, new SluiceReaderOptions { Caching = FileCaching.Uncached });
        }
        {
            using SluiceReader reader = new(path, new SluiceReaderOptions { Caching = FileCaching.Direct });
        }
    }

    public static void Write(string path, byte[] buffer, long size)
    {
        {
            using FileStream stream = File.Create(path); stream.Write(buffer); stream.Flush(flushToDisk: true);
        }
        {
            using FileStream stream = new(path, new FileStreamOptions { Mode = FileMode.Create, Access = FileAccess.Write, BufferSize = 0, PreallocationSize = size });
        }
        {
            using SluiceStream stream = new(path, FileMode.Create, FileAccess.Write); stream.Write(buffer); stream.Flush(flushToDisk: true);
        }
        {
            using SluiceWriter writer = new(path, new SluiceWriterOptions { PreallocationSize = size, FlushToDisk = true });
        }
        {
            using SluiceWriter writer = new(path, new SluiceWriterOptions { Caching = FileCaching.Direct, PreallocationSize = size, FlushToDisk = true });
        }
    }

    public static async Task ReadAtOffsetsAsync(SafeFileHandle handle, Memory<byte> memory, long offset)
    {
        {
            Span<byte> buffer = memory.Span;
            RandomAccess.Read(handle, buffer, offset);
        }
        {
            Memory<byte> buffer = memory;
            await RandomAccess.ReadAsync(handle, buffer, offset);
        }
    }

    public static async Task ReadAtOffsetsAsync(SluiceHandle handle, byte[] buffer, long offset)
    {
        handle.Read(buffer, offset);
        await handle.ReadAsync(buffer, offset);
    }

    public static async Task ReadDirectAsync(string path, byte[] buffer, long offset, ReadRequest[] requests)
    {
        {
            using SluiceHandle handle = SluiceHandle.Open(path, caching: FileCaching.Direct); handle.Read(buffer, offset);
        }
        {
            using SluiceHandle handle = SluiceHandle.Open(path, caching: FileCaching.Direct); await handle.ReadAsync(buffer, offset);
        }
        {
            using SluiceHandle handle = SluiceHandle.Open(path, caching: FileCaching.Direct); handle.ReadBatch(requests);
        }
    }

    public static void ReadLines(string path, Action<int> use)
    {
        {
            foreach (string line in File.ReadLines(path))
                use(line.Length);
        }
        {
            using SluiceReader reader = new(path); foreach (string line in reader.ReadStringLines())
                use(line.Length);
        }
        {
            using SluiceReader reader = new(path); foreach (ReadOnlySpan<byte> line in reader.EnumerateLines())
                use(line.Length);
        }
    }

    public static async Task ReadLinesAsync(StreamReader reader, Action<int> use)
    {
        while (await reader.ReadLineAsync() is { } line)
            use(line.Length);
    }

    public static async Task ReadLinesAsync(string path, Action<int> use)
    {
        using SluiceReader reader = new(path); await foreach (ReadOnlyMemory<byte> line in reader.EnumerateLinesAsync())
            use(line.Length);
    }

    public static async Task SmallFilesAsync(string[] paths, ReadOnlyMemory<byte> content, Action<string> use)
    {
        await Parallel.ForEachAsync(paths, async (path, token) => await File.ReadAllBytesAsync(path, token));
        await foreach (FileReadResult file in SluiceFile.ReadManyAsync(paths))
            use(file.Path);
        await SluiceFile.WriteManyAsync(paths.Select(path => (path, content)));
    }

    public static int SmallFile(string path, byte[] bytes)
    {
        {
            byte[] content = bytes;
            File.WriteAllBytes(path, content);
        }
        {
            byte[] content = File.ReadAllBytes(path);
            return content.Length;
        }
    }

    public static async Task CopyAsync(string source, string target, Stream from, Stream to)
    {
        File.Copy(source, target);
        await from.CopyToAsync(to);
        await SluiceFile.CopyAsync(source, target);
    }

    public static void WriteRecords(FileStream stream, SluiceHandle handle, byte[] record, long offset)
    {
        stream.Write(record); stream.Flush(flushToDisk: true);
        handle.Append(record); handle.FlushToDisk();
        handle.Append(record); handle.FlushDataToDisk();
        handle.Write(record, offset); handle.FlushDataToDisk();
    }
}
