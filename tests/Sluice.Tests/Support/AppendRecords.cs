using System.Buffers.Binary;
using System.Collections.Concurrent;

namespace Sluice.Tests.Support;

/// <summary>Records that name their writer, number and length, so that a file of appends can be taken apart again.</summary>
internal static class AppendRecords
{
    private const int HeaderBytes = 12;
    private const int MaxBytes = 700;

    /// <summary>Appends <paramref name="count"/> records of one writer, as another process would.</summary>
    public static void Run(string path, int writer, int count, bool isDirect)
    {
        using SluiceHandle handle = SluiceHandle.Open(
            path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite, caching: isDirect ? FileCaching.Direct : FileCaching.Cached);
        for (int i = 0; i < count; i++)
        {
            handle.Append(Make(writer, i));
        }
    }

    /// <summary>Each writer's n-th record has its own length and fill.</summary>
    public static byte[] Make(int writer, int number)
    {
        int length = HeaderBytes + (int)((writer * 7919L + number * 104_729L) % (MaxBytes - HeaderBytes));
        byte[] record = new byte[length];
        BinaryPrimitives.WriteInt32LittleEndian(record, writer);
        BinaryPrimitives.WriteInt32LittleEndian(record.AsSpan(4), number);
        BinaryPrimitives.WriteInt32LittleEndian(record.AsSpan(8), length);
        record.AsSpan(HeaderBytes).Fill((byte)(writer * 31 + number));
        return record;
    }

    /// <summary>Every record of every writer stands there once, whole and in its writer's order, and at the place it was told.</summary>
    public static void Check(
        byte[] content, int start, int writers, int count, ConcurrentDictionary<(int Writer, int Number), long>? landed) =>
        Check(content, start, [.. Enumerable.Repeat(count, writers)], landed);

    /// <param name="content">The file's bytes.</param>
    /// <param name="start">Where the records begin.</param>
    /// <param name="counts">How many there must be of each writer.</param>
    /// <param name="landed">Where each was said to be.</param>
    public static void Check(byte[] content, int start, int[] counts, ConcurrentDictionary<(int Writer, int Number), long>? landed)
    {
        int[] next = new int[counts.Length];
        int at = start;
        while (at < content.Length)
        {
            int writer = BinaryPrimitives.ReadInt32LittleEndian(content.AsSpan(at));
            int number = BinaryPrimitives.ReadInt32LittleEndian(content.AsSpan(at + 4));
            writer.ShouldBeInRange(0, counts.Length - 1, $"torn record at {at}");
            number.ShouldBe(next[writer]++, $"record out of order at {at}");
            byte[] expected = Make(writer, number);
            content.AsSpan(at, Math.Min(expected.Length, content.Length - at)).ToArray().ShouldBeBytes(expected, $"record at {at}");
            if (landed is not null && landed.TryGetValue((writer, number), out long told))
            {
                told.ShouldBe(at);
            }

            at += expected.Length;
        }

        next.ShouldBe(counts);
    }
}
