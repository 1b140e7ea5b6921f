using System.Runtime.CompilerServices;

namespace Sluice.Cli.Bench.Streams;

/// <summary>
/// Whole files, from open to close, as either side passes them. The asynchronous ones are pooled, so that what is allocated is
/// the stream's doing. A pass that did not meet what it should throws: its time would mean nothing.
/// </summary>
internal static class StreamPasses
{
    /// <returns>Bytes read, until the end of the file was met.</returns>
    public static long Read<TSide>(StreamOpening opening, byte[] buffer)
        where TSide : struct, IStreamSide<TSide>
    {
        long total = 0;
        using TSide side = TSide.Open(opening);
        for (int read; (read = side.Read(buffer)) > 0;)
            total += read;
        return Expect(opening, total);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public static async ValueTask<long> ReadAsync<TSide>(StreamOpening opening, byte[] buffer)
        where TSide : struct, IStreamSide<TSide>
    {
        long total = 0;
        await using TSide side = TSide.Open(opening);
        for (int read; (read = await side.ReadAsync(buffer)) > 0;)
            total += read;
        return Expect(opening, total);
    }

    /// <returns>Bytes written.</returns>
    public static long Write<TSide>(StreamOpening opening, byte[] buffer)
        where TSide : struct, IStreamSide<TSide>
    {
        using TSide side = TSide.Open(opening);
        for (long left = opening.LengthBytes; left > 0; left -= buffer.Length)
            side.Write(buffer.AsSpan(0, (int)Math.Min(buffer.Length, left)));
        return opening.LengthBytes;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public static async ValueTask<long> WriteAsync<TSide>(StreamOpening opening, byte[] buffer)
        where TSide : struct, IStreamSide<TSide>
    {
        await using TSide side = TSide.Open(opening);
        for (long left = opening.LengthBytes; left > 0; left -= buffer.Length)
            await side.WriteAsync(buffer.AsMemory(0, (int)Math.Min(buffer.Length, left)));
        return opening.LengthBytes;
    }

    public static long ReadBytes<TSide>(StreamOpening opening)
        where TSide : struct, IStreamSide<TSide>
    {
        long total = 0;
        using TSide side = TSide.Open(opening);
        while (side.ReadByte() >= 0)
            total++;
        return Expect(opening, total);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public static async ValueTask<long> ReadBytesAsync(StreamOpening opening)
    {
        long total = 0;
        await using SluiceStreamSide side = SluiceStreamSide.Open(opening);
        while (await side.ReadByteAsync() >= 0)
            total++;
        return Expect(opening, total);
    }

    public static long WriteBytes<TSide>(StreamOpening opening)
        where TSide : struct, IStreamSide<TSide>
    {
        using TSide side = TSide.Open(opening);
        for (long i = 0; i < opening.LengthBytes; i++)
            side.WriteByte((byte)i);
        return opening.LengthBytes;
    }

    /// <returns>Numbers read.</returns>
    public static long ReadInt32s<TSide>(StreamOpening opening)
        where TSide : struct, IStreamSide<TSide>
    {
        using TSide side = TSide.Open(opening);
        using var reader = new BinaryReader(side.Stream);
        long count = opening.LengthBytes / sizeof(int);
        for (long i = 0; i < count; i++)
            reader.ReadInt32();
        return count;
    }

    /// <returns>Lines read.</returns>
    public static long ReadLines<TSide>(StreamOpening opening)
        where TSide : struct, IStreamSide<TSide>
    {
        using TSide side = TSide.Open(opening);
        using var reader = new StreamReader(side.Stream);
        long lines = 0;
        while (reader.ReadLine() is not null)
            lines++;
        return lines;
    }

    /// <returns>Lines read.</returns>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public static async ValueTask<long> ReadLinesAsync<TSide>(StreamOpening opening)
        where TSide : struct, IStreamSide<TSide>
    {
        await using TSide side = TSide.Open(opening);
        using var reader = new StreamReader(side.Stream);
        long lines = 0;
        while (await reader.ReadLineAsync() is not null)
            lines++;
        return lines;
    }

    /// <returns>Bytes copied.</returns>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public static async ValueTask<long> CopyAsync<TSide>(StreamOpening source, StreamOpening destination)
        where TSide : struct, IStreamSide<TSide>
    {
        await using TSide from = TSide.Open(source);
        await using TSide to = TSide.Open(destination);
        await from.CopyToAsync(to.Stream);
        return Expect(source, to.Position);
    }

    /// <returns>Bytes that came.</returns>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public static async ValueTask<long> CopyToSinkAsync<TSide>(StreamOpening source)
        where TSide : struct, IStreamSide<TSide>
    {
        await using TSide from = TSide.Open(source);
        var sink = new CountingSink();
        await from.CopyToAsync(sink);
        return Expect(source, sink.Position);
    }

    /// <returns>One.</returns>
    public static long OpenAndClose<TSide>(StreamOpening opening)
        where TSide : struct, IStreamSide<TSide>
    {
        TSide.Open(opening).Dispose();
        return 1;
    }

    /// <summary>Opens the stream, and seeks to each byte of the file from its begin, as the .NET 6 text does.</summary>
    /// <returns>Seeks.</returns>
    public static long SeekForward<TSide>(StreamOpening opening)
        where TSide : struct, IStreamSide<TSide>
    {
        using TSide side = TSide.Open(opening);
        for (long offset = 0; offset < opening.LengthBytes; offset++)
            side.Seek(offset, SeekOrigin.Begin);
        return opening.LengthBytes;
    }

    /// <summary>As <see cref="SeekForward"/>, from the end.</summary>
    public static long SeekBackward<TSide>(StreamOpening opening)
        where TSide : struct, IStreamSide<TSide>
    {
        using TSide side = TSide.Open(opening);
        for (long offset = -1; offset >= -opening.LengthBytes; offset--)
            side.Seek(offset, SeekOrigin.End);
        return opening.LengthBytes;
    }

    /// <summary>Opens the stream, and asks for its length as often as the file has bytes.</summary>
    /// <returns>Times asked.</returns>
    public static long GetLength<TSide>(StreamOpening opening)
        where TSide : struct, IStreamSide<TSide>
    {
        using TSide side = TSide.Open(opening);
        for (long i = 0; i < opening.LengthBytes; i++)
        {
            if (side.Length != opening.LengthBytes)
                throw new IOException($"{opening.Path}: a length of {opening.LengthBytes} bytes expected");
        }
        return opening.LengthBytes;
    }

    private static long Expect(StreamOpening opening, long bytes) => bytes == opening.LengthBytes
        ? bytes
        : throw new IOException($"{opening.Path}: {opening.LengthBytes} bytes expected, {bytes} met");
}
