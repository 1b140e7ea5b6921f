using System.Runtime.CompilerServices;

namespace Sluice.Cli.Bench.Streams;

/// <summary>
/// Passes that open, read or write, and close a file, with the same code for both stream types. Asynchronous passes use pooled method
/// builders, so that all counted allocations are those of the stream. A pass with a wrong result throws an exception.
/// </summary>
internal static class StreamPasses
{
    // Reading the clock costs as much as some requests, so it is read once for this number of bytes.
    private const int BytesBetweenChecks = 64 * 1024;

    /// <summary>
    /// Creates a contender that reads a file that is not in the page cache, or creates a file and flushes it to the disk. A pass ends at
    /// the end of the file or of the slice. An operation is a byte; synchronous requests of one byte use ReadByte and WriteByte.
    /// </summary>
    public static Contender Timed<TSide>(StreamOpening opening, int requestBytes)
        where TSide : struct, IStreamSide
    {
        bool writes = opening.Mode == FileMode.Create;
        byte[] buffer = new byte[requestBytes];
        new Random(1).NextBytes(buffer);
        return new Contender(TSide.Name, async slice =>
        {
            if (opening.Asynchronous)
                await (writes ? WriteAsync<TSide>(opening, buffer, slice) : ReadAsync<TSide>(opening, buffer, slice));
            else if (requestBytes == 1)
                _ = writes ? WriteBytes<TSide>(opening, slice) : ReadBytes<TSide>(opening, slice);
            else
                _ = writes ? Write<TSide>(opening, buffer, slice) : Read<TSide>(opening, buffer, slice);
        })
        {
            MeasuresAllocations = true,
            Prepare = writes ? () => File.Delete(opening.Path) : () => BenchContext.DropCache(opening.Path),
        };
    }

    /// <param name="slice">Counts the bytes, and ends the pass early; null for a pass over the whole file.</param>
    /// <returns>The number of bytes read.</returns>
    public static long Read<TSide>(StreamOpening opening, byte[] buffer, Slice? slice = null)
        where TSide : struct, IStreamSide
    {
        using Stream stream = TSide.Open(opening);
        int burst = BurstOf(buffer);
        long total = 0;
        for (int read = 1; read > 0 && slice?.IsOver != true;)
        {
            long before = total;
            for (int i = 0; i < burst && (read = stream.Read(buffer)) > 0; i++)
                total += read;
            slice?.Count(0, total - before);
        }
        return slice is null ? Expect(opening, total) : total;
    }

    /// <inheritdoc cref="Read"/>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public static async ValueTask<long> ReadAsync<TSide>(StreamOpening opening, byte[] buffer, Slice? slice = null)
        where TSide : struct, IStreamSide
    {
        await using Stream stream = TSide.Open(opening);
        int burst = BurstOf(buffer);
        long total = 0;
        for (int read = 1; read > 0 && slice?.IsOver != true;)
        {
            long before = total;
            for (int i = 0; i < burst && (read = await stream.ReadAsync(buffer)) > 0; i++)
                total += read;
            slice?.Count(0, total - before);
        }
        return slice is null ? Expect(opening, total) : total;
    }

    /// <param name="slice">
    /// Counts the bytes, and ends the pass early; the file is then flushed to the disk. Null for the whole file.
    /// </param>
    /// <returns>The length of the complete file, in bytes.</returns>
    public static long Write<TSide>(StreamOpening opening, byte[] buffer, Slice? slice = null)
        where TSide : struct, IStreamSide
    {
        using Stream stream = TSide.Open(opening);
        int burst = BurstOf(buffer);
        long left = opening.LengthBytes;
        while (left > 0 && slice?.IsOver != true)
        {
            long before = left;
            for (int i = 0; i < burst && left > 0; i++, left -= buffer.Length)
                stream.Write(buffer.AsSpan(0, (int)Math.Min(buffer.Length, left)));
            slice?.Count(0, before - Math.Max(0, left));
        }
        if (slice is not null)
            TSide.FlushToDisk(stream);
        return opening.LengthBytes;
    }

    /// <inheritdoc cref="Write"/>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public static async ValueTask<long> WriteAsync<TSide>(StreamOpening opening, byte[] buffer, Slice? slice = null)
        where TSide : struct, IStreamSide
    {
        await using Stream stream = TSide.Open(opening);
        int burst = BurstOf(buffer);
        long left = opening.LengthBytes;
        while (left > 0 && slice?.IsOver != true)
        {
            long before = left;
            for (int i = 0; i < burst && left > 0; i++, left -= buffer.Length)
                await stream.WriteAsync(buffer.AsMemory(0, (int)Math.Min(buffer.Length, left)));
            slice?.Count(0, before - Math.Max(0, left));
        }
        if (slice is not null)
        {
            await stream.FlushAsync();
            TSide.FlushToDisk(stream);
        }
        return opening.LengthBytes;
    }

    /// <inheritdoc cref="Read"/>
    public static long ReadBytes<TSide>(StreamOpening opening, Slice? slice = null)
        where TSide : struct, IStreamSide
    {
        using Stream stream = TSide.Open(opening);
        long total = 0;
        for (bool ended = false; !ended && slice?.IsOver != true;)
        {
            int bytes = 0;
            while (bytes < BytesBetweenChecks && TSide.ReadByte(stream) >= 0)
                bytes++;
            ended = bytes < BytesBetweenChecks;
            total += bytes;
            slice?.Count(0, bytes);
        }
        return slice is null ? Expect(opening, total) : total;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public static async ValueTask<long> ReadBytesAsync(StreamOpening opening)
    {
        long total = 0;
        await using var stream = new SluiceStream(opening.Path, opening.Sluice);
        while (await stream.ReadByteAsync() >= 0)
            total++;
        return Expect(opening, total);
    }

    /// <inheritdoc cref="Write"/>
    public static long WriteBytes<TSide>(StreamOpening opening, Slice? slice = null)
        where TSide : struct, IStreamSide
    {
        using Stream stream = TSide.Open(opening);
        for (long done = 0; done < opening.LengthBytes && slice?.IsOver != true;)
        {
            long end = Math.Min(opening.LengthBytes, done + BytesBetweenChecks);
            slice?.Count(0, end - done);
            for (; done < end; done++)
                TSide.WriteByte(stream, (byte)done);
        }
        if (slice is not null)
            TSide.FlushToDisk(stream);
        return opening.LengthBytes;
    }

    /// <returns>The number of integers read.</returns>
    public static long ReadInt32s<TSide>(StreamOpening opening)
        where TSide : struct, IStreamSide
    {
        using Stream stream = TSide.Open(opening);
        using var reader = new BinaryReader(stream);
        long count = opening.LengthBytes / sizeof(int);
        for (long i = 0; i < count; i++)
            reader.ReadInt32();
        return count;
    }

    /// <returns>The number of lines read.</returns>
    public static long ReadLines<TSide>(StreamOpening opening)
        where TSide : struct, IStreamSide
    {
        using Stream stream = TSide.Open(opening);
        using var reader = new StreamReader(stream);
        long lines = 0;
        while (reader.ReadLine() is not null)
            lines++;
        return lines;
    }

    /// <returns>The number of lines read.</returns>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public static async ValueTask<long> ReadLinesAsync<TSide>(StreamOpening opening)
        where TSide : struct, IStreamSide
    {
        await using Stream stream = TSide.Open(opening);
        using var reader = new StreamReader(stream);
        long lines = 0;
        while (await reader.ReadLineAsync() is not null)
            lines++;
        return lines;
    }

    /// <returns>The number of bytes copied.</returns>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public static async ValueTask<long> CopyAsync<TSide>(StreamOpening source, StreamOpening destination)
        where TSide : struct, IStreamSide
    {
        await using Stream from = TSide.Open(source);
        await using Stream to = TSide.Open(destination);
        await from.CopyToAsync(to);
        return Expect(source, to.Position);
    }

    /// <returns>The number of bytes read.</returns>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public static async ValueTask<long> CopyToSinkAsync<TSide>(StreamOpening source)
        where TSide : struct, IStreamSide
    {
        await using Stream from = TSide.Open(source);
        await from.CopyToAsync(Stream.Null);
        return Expect(source, from.Position);
    }

    /// <returns>Always 1.</returns>
    public static long OpenAndClose<TSide>(StreamOpening opening)
        where TSide : struct, IStreamSide
    {
        TSide.Open(opening).Dispose();
        return 1;
    }

    /// <summary>Opens the stream, and seeks to each byte of the file from the start, as in the .NET 6 blog post.</summary>
    /// <returns>The number of seeks.</returns>
    public static long SeekForward<TSide>(StreamOpening opening)
        where TSide : struct, IStreamSide
    {
        using Stream stream = TSide.Open(opening);
        for (long offset = 0; offset < opening.LengthBytes; offset++)
            stream.Seek(offset, SeekOrigin.Begin);
        return opening.LengthBytes;
    }

    /// <summary>Opens the stream, and seeks to each byte of the file from the end, as in the .NET 6 blog post.</summary>
    /// <returns>The number of seeks.</returns>
    public static long SeekBackward<TSide>(StreamOpening opening)
        where TSide : struct, IStreamSide
    {
        using Stream stream = TSide.Open(opening);
        for (long offset = -1; offset >= -opening.LengthBytes; offset--)
            stream.Seek(offset, SeekOrigin.End);
        return opening.LengthBytes;
    }

    /// <summary>Opens the stream, and reads its length as many times as the file has bytes.</summary>
    /// <returns>The number of reads of the length.</returns>
    public static long GetLength<TSide>(StreamOpening opening)
        where TSide : struct, IStreamSide
    {
        using Stream stream = TSide.Open(opening);
        for (long i = 0; i < opening.LengthBytes; i++)
        {
            if (stream.Length != opening.LengthBytes)
                throw new IOException($"{opening.Path}: a length of {opening.LengthBytes} bytes expected");
        }
        return opening.LengthBytes;
    }

    private static int BurstOf(byte[] buffer) => Math.Max(1, BytesBetweenChecks / buffer.Length);

    private static long Expect(StreamOpening opening, long bytes) => bytes == opening.LengthBytes
        ? bytes
        : throw new IOException($"{opening.Path}: {opening.LengthBytes} bytes expected, {bytes} met");
}
