namespace Sluice.Cli.Programs.Examples;

/// <summary>
/// The cases that read a file. Each case passes the data that it reads to <c>seen</c>, which counts and checks it. `examples --show` prints
/// the source code of a method.
/// </summary>
internal static class ReadCases
{
    /// <summary>
    /// Reads a file byte by byte with FileStream.
    /// ReadByte takes each byte from the stream's buffer; the system is called once for 64 KiB, not once for a byte.
    /// </summary>
    public static void ReadByteFileStream(string path, Checksum seen)
    {
        using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 65536);
        int value;
        while ((value = file.ReadByte()) >= 0)      // -1 at the end of the file
            seen.Add((byte)value);                  // your code stands here
    }

    /// <summary>
    /// Reads a file byte by byte with SluiceStream: the code of FileStream, another name.
    /// No buffer size is given: the buffer grows while the reading is sequential.
    /// </summary>
    public static void ReadByteSluiceStream(string path, Checksum seen)
    {
        using var file = new SluiceStream(path, FileMode.Open, FileAccess.Read);
        int value;
        while ((value = file.ReadByte()) >= 0)      // -1 at the end of the file
            seen.Add((byte)value);                  // your code stands here
    }

    /// <summary>
    /// Reads a file byte by byte with SluiceStream, never blocking the thread. FileStream has no such method.
    /// A byte that is in the buffer comes at once; only when the buffer is empty is there something to await.
    /// </summary>
    public static async Task ReadByteSluiceStreamAsync(string path, Checksum seen)
    {
        await using var file = new SluiceStream(path, FileMode.Open, FileAccess.Read);
        int value;
        while ((value = await file.ReadByteAsync()) >= 0)       // -1 at the end of the file
            seen.Add((byte)value);                              // your code stands here
    }

    /// <summary>
    /// Reads a file byte by byte past the page cache.
    /// Direct I/O wants whole blocks at aligned addresses; SluiceStream reads those, ahead of the caller, and hands out bytes.
    /// </summary>
    public static void ReadByteDirect(string path, Checksum seen)
    {
        using var file = new SluiceStream(path, new SluiceOptions { Caching = FileCaching.Direct });
        int value;
        while ((value = file.ReadByte()) >= 0)      // -1 at the end of the file
            seen.Add((byte)value);                  // your code stands here
    }

    /// <summary>
    /// Reads a text file line by line with StreamReader.
    /// Each line is decoded (UTF-8 here) into a new string.
    /// </summary>
    public static void ReadLineStreamReader(string path, Checksum seen)
    {
        using var reader = new StreamReader(path);
        string? line;
        while ((line = reader.ReadLine()) is not null)      // null at the end of the file
            seen.AddLine(line);                             // your code stands here
    }

    /// <summary>
    /// Reads a text file line by line with StreamReader, not blocking the thread.
    /// Without FileOptions.Asynchronous the reading would be done by a thread of the pool, blocked in our place.
    /// </summary>
    public static async Task ReadLineStreamReaderAsync(string path, Checksum seen)
    {
        using var reader = new StreamReader(
            path, new FileStreamOptions { Options = FileOptions.Asynchronous | FileOptions.SequentialScan });
        string? line;
        while ((line = await reader.ReadLineAsync()) is not null)       // null at the end of the file
            seen.AddLine(line);                                         // your code stands here
    }

    /// <summary>
    /// Reads a text file line by line with SluiceReader, as bytes.
    /// A line is a part of the reader's own block, so nothing is decoded, copied or allocated. It is valid until the next call.
    /// </summary>
    public static void ReadLineSluiceReader(string path, Checksum seen)
    {
        using var reader = new SluiceReader(path);
        foreach (ReadOnlySpan<byte> line in reader.EnumerateLines())     // without CR LF
            seen.AddLine(line);                                     // your code stands here
    }

    /// <summary>
    /// Reads a text file line by line with SluiceReader, as bytes, not blocking the thread.
    /// Nothing is awaited while there are lines in the block, so a line costs no more than in the synchronous loop.
    /// </summary>
    public static async Task ReadLineSluiceReaderAsync(string path, Checksum seen)
    {
        await using var reader = new SluiceReader(path);
        await foreach (ReadOnlyMemory<byte> line in reader.EnumerateLinesAsync())    // without CR LF
            seen.AddLine(line.Span);                                            // your code stands here
    }

    /// <summary>
    /// Reads a text file line by line with SluiceReader, as strings of any encoding (UTF-8 by default).
    /// Suitable for code that needs strings; the lines are the same as those of File.ReadLines.
    /// </summary>
    public static void ReadLineSluiceReaderStrings(string path, Checksum seen)
    {
        using var reader = new SluiceReader(path);
        foreach (string line in reader.ReadStringLines())
            seen.AddLine(line);                                     // your code stands here
    }

    /// <summary>
    /// Reads a text file line by line past the page cache, with several requests in flight.
    /// Suitable for large files that are read once: the data of others stays in the page cache, and the processor makes one copy less.
    /// </summary>
    public static void ReadLineDirect(string path, Checksum seen)
    {
        using var reader = new SluiceReader(path, new SluiceReaderOptions { Caching = FileCaching.Direct });
        foreach (ReadOnlySpan<byte> line in reader.EnumerateLines())     // without CR LF
            seen.AddLine(line);                                     // your code stands here
    }

    /// <summary>
    /// Reads a file in blocks of 64 KiB with FileStream.
    /// bufferSize 0 turns the buffer off: the blocks are already as large as a buffer, which would only add a copy.
    /// </summary>
    public static void ReadBlockFileStream(string path, Checksum seen)
    {
        using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0);
        byte[] block = new byte[65536];
        int bytes;
        while ((bytes = file.Read(block)) > 0)      // may be less than a block; 0 at the end of the file
            seen.Add(block.AsSpan(0, bytes));       // your code stands here
    }

    /// <summary>
    /// Reads a file in blocks of 64 KiB with FileStream, not blocking the thread.
    /// useAsync opens the file for asynchronous I/O; without it, ReadAsync would block a pool thread instead of this one.
    /// </summary>
    public static async Task ReadBlockFileStreamAsync(string path, Checksum seen)
    {
        await using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0, useAsync: true);
        byte[] block = new byte[65536];
        int bytes;
        while ((bytes = await file.ReadAsync(block)) > 0)       // may be less than a block; 0 at the end of the file
            seen.Add(block.AsSpan(0, bytes));                   // your code stands here
    }

    /// <summary>
    /// Reads a file in blocks of 64 KiB with SluiceStream: the code of FileStream, another name.
    /// </summary>
    public static void ReadBlockSluiceStream(string path, Checksum seen)
    {
        using var file = new SluiceStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0);
        byte[] block = new byte[65536];
        int bytes;
        while ((bytes = file.Read(block)) > 0)      // may be less than a block; 0 at the end of the file
            seen.Add(block.AsSpan(0, bytes));       // your code stands here
    }

    /// <summary>
    /// Reads a file in blocks with SluiceReader, which chooses their size and owns their memory.
    /// A block is valid until the next call.
    /// </summary>
    public static void ReadBlockSluiceReader(string path, Checksum seen)
    {
        using var reader = new SluiceReader(path);
        while (reader.TryReadBlock(out ReadOnlySpan<byte> block))     // false at the end of the file
            seen.Add(block);                                // your code stands here
    }

    /// <summary>
    /// Reads a file in blocks with SluiceReader, not blocking the thread.
    /// A block is valid until the next call.
    /// </summary>
    public static async Task ReadBlockSluiceReaderAsync(string path, Checksum seen)
    {
        await using var reader = new SluiceReader(path);
        ReadOnlyMemory<byte> block;
        while (!(block = await reader.ReadBlockAsync()).IsEmpty)        // empty at the end of the file
            seen.Add(block.Span);                                       // your code stands here
    }

    /// <summary>
    /// Reads a file in blocks past the page cache: the device writes into the block that TryReadBlock returns.
    /// The size of the requests and the number in flight adapt to the device; RequestSize and Depth set them.
    /// </summary>
    public static void ReadBlockDirect(string path, Checksum seen)
    {
        using var reader = new SluiceReader(path, new SluiceReaderOptions { Caching = FileCaching.Direct });
        while (reader.TryReadBlock(out ReadOnlySpan<byte> block))     // false at the end of the file
            seen.Add(block);                                // your code stands here
    }
}
