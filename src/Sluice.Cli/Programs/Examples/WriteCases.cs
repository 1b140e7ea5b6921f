namespace Sluice.Cli.Programs.Examples;

/// <summary>
/// The cases that write a file. The data comes from <c>records</c>. `examples --show` prints the source code of a method.
/// </summary>
internal static class WriteCases
{
    /// <summary>
    /// Writes a file byte by byte with FileStream.
    /// WriteByte puts each byte into the stream's buffer; the system is called once for 64 KiB. Disposing writes the rest.
    /// </summary>
    public static void WriteByteFileStream(string path, RecordSource records)
    {
        using var file = new FileStream(path, FileMode.Create, FileAccess.Write, FileShare.None, bufferSize: 65536);
        while (records.TryNext(out ReadOnlySpan<byte> record))
        {
            foreach (byte value in record)
                file.WriteByte(value);
        }
    }

    /// <summary>
    /// Writes a file byte by byte with SluiceStream: the code of FileStream, another name.
    /// No buffer size is given: the buffer grows while the writing is sequential. Disposing writes the rest.
    /// </summary>
    public static void WriteByteSluiceStream(string path, RecordSource records)
    {
        using var file = new SluiceStream(path, FileMode.Create, FileAccess.Write);
        while (records.TryNext(out ReadOnlySpan<byte> record))
        {
            foreach (byte value in record)
                file.WriteByte(value);
        }
    }

    /// <summary>
    /// Writes a file byte by byte with SluiceStream, never blocking the thread. FileStream has no such method.
    /// While the buffer has room there is nothing to await; await using writes the rest.
    /// </summary>
    public static async Task WriteByteSluiceStreamAsync(string path, RecordSource records)
    {
        await using var file = new SluiceStream(path, FileMode.Create, FileAccess.Write);
        byte[] record = new byte[RecordSource.RecordBytes];
        while (records.Fill(record) > 0)
        {
            foreach (byte value in record)
                await file.WriteByteAsync(value);
        }
    }

    /// <summary>
    /// Writes a file byte by byte past the page cache.
    /// Direct I/O wants whole blocks at aligned addresses; SluiceStream gathers them, and writes the odd end as it is.
    /// </summary>
    public static void WriteByteDirect(string path, RecordSource records)
    {
        using var file = new SluiceStream(path, new SluiceOptions
        {
            Mode = FileMode.Create,
            Access = FileAccess.Write,
            Caching = FileCaching.Direct,
        });
        while (records.TryNext(out ReadOnlySpan<byte> record))
        {
            foreach (byte value in record)
                file.WriteByte(value);
        }
    }

    /// <summary>
    /// Writes a text file line by line with StreamWriter, which encodes each line (UTF-8 here).
    /// Disposing writes what is left in its buffer.
    /// </summary>
    public static void WriteLineStreamWriter(string path, RecordSource records)
    {
        using var writer = new StreamWriter(path) { NewLine = "\r\n" };
        while (records.TryNextLine(out ReadOnlyMemory<char> line))
            writer.WriteLine(line.Span);
    }

    /// <summary>
    /// Writes a text file line by line with StreamWriter, not blocking the thread.
    /// Without FileOptions.Asynchronous the writing would be done by a thread of the pool, blocked in our place.
    /// </summary>
    public static async Task WriteLineStreamWriterAsync(string path, RecordSource records)
    {
        await using var writer = new StreamWriter(path, new FileStreamOptions
        {
            Mode = FileMode.Create,
            Access = FileAccess.Write,
            Options = FileOptions.Asynchronous,
        });
        writer.NewLine = "\r\n";
        while (records.TryNextLine(out ReadOnlyMemory<char> line))
            await writer.WriteLineAsync(line);
    }

    /// <summary>
    /// Writes a text file line by line with SluiceWriter, which takes bytes, so that UTF-8 text is not encoded again.
    /// Disposing completes the file, and throws an exception if a write failed.
    /// </summary>
    public static void WriteLineSluiceWriter(string path, RecordSource records)
    {
        using var writer = new SluiceWriter(path);
        while (records.TryNext(out ReadOnlySpan<byte> line))        // ends with CR LF
            writer.Write(line);
    }

    /// <summary>
    /// Writes a text file line by line past the page cache, with several requests in flight.
    /// Lines gather in aligned blocks; the file has its exact length when it is completed.
    /// </summary>
    public static void WriteLineDirect(string path, RecordSource records)
    {
        using var writer = new SluiceWriter(path, new SluiceWriterOptions { Caching = FileCaching.Direct });
        while (records.TryNext(out ReadOnlySpan<byte> line))        // ends with CR LF
            writer.Write(line);
    }

    /// <summary>
    /// Writes a file in blocks of 64 KiB with FileStream.
    /// bufferSize 0 turns the buffer off: the blocks are already as large as a buffer, which would only add a copy.
    /// </summary>
    public static void WriteBlockFileStream(string path, RecordSource records)
    {
        using var file = new FileStream(path, FileMode.Create, FileAccess.Write, FileShare.None, bufferSize: 0);
        byte[] block = new byte[65536];
        int bytes;
        while ((bytes = records.Fill(block)) > 0)
            file.Write(block.AsSpan(0, bytes));
    }

    /// <summary>
    /// Writes a file in blocks of 64 KiB with FileStream, not blocking the thread.
    /// useAsync opens the file for asynchronous I/O; without it, WriteAsync would block a pool thread instead of this one.
    /// </summary>
    public static async Task WriteBlockFileStreamAsync(string path, RecordSource records)
    {
        await using var file = new FileStream(path, FileMode.Create, FileAccess.Write, FileShare.None, bufferSize: 0, useAsync: true);
        byte[] block = new byte[65536];
        int bytes;
        while ((bytes = records.Fill(block)) > 0)
            await file.WriteAsync(block.AsMemory(0, bytes));
    }

    /// <summary>
    /// Writes a file in blocks of 64 KiB with SluiceStream: the code of FileStream, another name.
    /// </summary>
    public static void WriteBlockSluiceStream(string path, RecordSource records)
    {
        using var file = new SluiceStream(path, FileMode.Create, FileAccess.Write, FileShare.None, bufferSize: 0);
        byte[] block = new byte[65536];
        int bytes;
        while ((bytes = records.Fill(block)) > 0)
            file.Write(block.AsSpan(0, bytes));
    }

    /// <summary>
    /// Writes a file in blocks with SluiceWriter, into its own memory: nothing is copied before the system has it.
    /// GetSpan and Advance are those of IBufferWriter, so serializers can write into it too.
    /// </summary>
    public static void WriteBlockSluiceWriter(string path, RecordSource records)
    {
        using var writer = new SluiceWriter(path);
        int bytes;
        while ((bytes = records.Fill(writer.GetSpan(65536))) > 0)
            writer.Advance(bytes);
    }

    /// <summary>
    /// Writes a file in blocks of 64 KiB with SluiceWriter, not blocking the thread.
    /// CompleteAsync writes what is left and closes; disposing would do the same.
    /// </summary>
    public static async Task WriteBlockSluiceWriterAsync(string path, RecordSource records)
    {
        await using var writer = new SluiceWriter(path);
        byte[] block = new byte[65536];
        int bytes;
        while ((bytes = records.Fill(block)) > 0)
            await writer.WriteAsync(block.AsMemory(0, bytes));
        await writer.CompleteAsync();
    }

    /// <summary>
    /// Writes a file in blocks past the page cache, its space reserved before the first write.
    /// Requests are in flight while the next block is filled. FlushToDisk would also make the file durable at its end.
    /// </summary>
    public static void WriteBlockDirect(string path, RecordSource records)
    {
        using var writer = new SluiceWriter(path, new SluiceWriterOptions
        {
            Caching = FileCaching.Direct,
            PreallocationSize = records.Count * RecordSource.RecordBytes,       // if the size is known: one piece of disk
        });
        int bytes;
        while ((bytes = records.Fill(writer.GetSpan(65536))) > 0)
            writer.Advance(bytes);
    }
}
