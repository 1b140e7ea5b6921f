using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Streams;
using Sluice.Diagnostics;

namespace Sluice.Cli.Programs.Measuring;

/// <summary>
/// A stream read or written from its start until its end or the slice's; units are bytes. Requests of one byte are ReadByte and
/// WriteByte where they are synchronous. What is written is on the disk at the end.
/// </summary>
internal static class TimedPasses
{
    // Reading the clock costs as much as some requests: once in so many bytes.
    private const int BytesBetweenLooks = 64 * 1024;

    /// <summary>Reads the file cold, or makes it anew, as the opening says.</summary>
    public static Contender Of<TSide>(StreamOpening opening, int requestBytes)
        where TSide : struct, IStreamSide<TSide>
    {
        bool writes = opening.Mode == FileMode.Create;
        byte[] buffer = new byte[requestBytes];
        new Random(1).NextBytes(buffer);
        return new Contender(TSide.Name, slice =>
        {
            if (opening.Asynchronous)
                return writes ? WriteAsync<TSide>(opening, buffer, slice) : ReadAsync<TSide>(opening, buffer, slice);
            if (writes)
                Write<TSide>(opening, buffer, slice);
            else if (buffer.Length == 1)
                ReadBytes<TSide>(opening, slice);
            else
                Read<TSide>(opening, buffer, slice);
            return Task.CompletedTask;
        })
        {
            MeasuresAllocations = true,
            Prepare = writes ? () => File.Delete(opening.Path) : () => DropCache(opening.Path),
        };
    }

    public static void DropCache(string path)
    {
        using SluiceHandle handle = SluiceHandle.Open(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        _ = PageCache.Drop(handle.SafeFileHandle);
    }

    private static int BurstOf(byte[] buffer) => Math.Max(1, BytesBetweenLooks / buffer.Length);

    private static void Read<TSide>(StreamOpening opening, byte[] buffer, Slice slice)
        where TSide : struct, IStreamSide<TSide>
    {
        using TSide side = TSide.Open(opening);
        int burst = BurstOf(buffer);
        bool ended = false;
        while (!ended && !slice.IsOver)
        {
            long bytes = 0;
            for (int i = 0; i < burst && !ended; i++)
            {
                int read = side.Read(buffer);
                bytes += read;
                ended = read == 0;
            }
            slice.Count(0, bytes);
        }
    }

    private static void ReadBytes<TSide>(StreamOpening opening, Slice slice)
        where TSide : struct, IStreamSide<TSide>
    {
        using TSide side = TSide.Open(opening);
        bool ended = false;
        while (!ended && !slice.IsOver)
        {
            int bytes = 0;
            while (bytes < BytesBetweenLooks && side.ReadByte() >= 0)
                bytes++;
            ended = bytes < BytesBetweenLooks;
            slice.Count(0, bytes);
        }
    }

    private static async Task ReadAsync<TSide>(StreamOpening opening, byte[] buffer, Slice slice)
        where TSide : struct, IStreamSide<TSide>
    {
        await using TSide side = TSide.Open(opening);
        int burst = BurstOf(buffer);
        bool ended = false;
        while (!ended && !slice.IsOver)
        {
            long bytes = 0;
            for (int i = 0; i < burst && !ended; i++)
            {
                int read = await side.ReadAsync(buffer);
                bytes += read;
                ended = read == 0;
            }
            slice.Count(0, bytes);
        }
    }

    private static void Write<TSide>(StreamOpening opening, byte[] buffer, Slice slice)
        where TSide : struct, IStreamSide<TSide>
    {
        using TSide side = TSide.Open(opening);
        int burst = BurstOf(buffer);
        for (long left = opening.LengthBytes; left > 0 && !slice.IsOver;)
        {
            long before = left;
            for (int i = 0; i < burst && left > 0; i++)
            {
                int bytes = (int)Math.Min(buffer.Length, left);
                if (buffer.Length == 1)
                    side.WriteByte((byte)i);
                else
                    side.Write(buffer.AsSpan(0, bytes));
                left -= bytes;
            }
            slice.Count(0, before - left);
        }
        FlushToDisk(side.Stream);
    }

    private static async Task WriteAsync<TSide>(StreamOpening opening, byte[] buffer, Slice slice)
        where TSide : struct, IStreamSide<TSide>
    {
        await using TSide side = TSide.Open(opening);
        int burst = BurstOf(buffer);
        for (long left = opening.LengthBytes; left > 0 && !slice.IsOver;)
        {
            long before = left;
            for (int i = 0; i < burst && left > 0; i++)
            {
                int bytes = (int)Math.Min(buffer.Length, left);
                await side.WriteAsync(buffer.AsMemory(0, bytes));
                left -= bytes;
            }
            slice.Count(0, before - left);
        }
        await side.Stream.FlushAsync();
        FlushToDisk(side.Stream);
    }

    private static void FlushToDisk(Stream stream)
    {
        if (stream is SluiceStream sluice)
            sluice.Flush(flushToDisk: true);
        else
            ((FileStream)stream).Flush(flushToDisk: true);
    }
}
