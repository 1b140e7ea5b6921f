using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics.X86;

namespace Sluice.Log.Frames;

/// <summary>
/// CRC-32C without the inversion before and after, because the value is carried from frame to frame. It uses the processor's instruction if
/// there is one. Long inputs are computed in three interleaved strands, because the instruction has a latency of three cycles and a
/// throughput of one.
/// </summary>
internal static class Crc32C
{
    /// <summary>The initial value of a checksum that does not continue another one.</summary>
    public const uint Begin = 0xFFFF_FFFF;

    /// <summary>The cache line size of the processors with this prefetch instruction; a longer line would be prefetched twice.</summary>
    private const int CacheLineBytes = 64;

    /// <summary>The number of bytes in one strand.</summary>
    private const int StrandBytes = 1024;

    /// <summary>Tables that advance a checksum over <see cref="StrandBytes"/> zeros, one for each byte of the value.</summary>
    private static readonly uint[] Shifts = MakeShifts();

    /// <summary>Continues a checksum with more bytes.</summary>
    public static uint Append(uint crc, ReadOnlySpan<byte> bytes)
    {
        while (BitConverter.IsLittleEndian && bytes.Length >= 3 * StrandBytes)
        {
            ReadOnlySpan<byte> next = bytes[(3 * StrandBytes)..];
            FetchAhead(next);
            crc = AppendStrands(crc, MemoryMarshal.Cast<byte, ulong>(bytes[..(3 * StrandBytes)]));
            bytes = next;
        }

        while (bytes.Length >= sizeof(ulong))
        {
            crc = BitOperations.Crc32C(crc, BinaryPrimitives.ReadUInt64LittleEndian(bytes));
            bytes = bytes[sizeof(ulong)..];
        }

        foreach (byte b in bytes)
        {
            crc = BitOperations.Crc32C(crc, b);
        }

        return crc;
    }

    private static uint AppendStrands(uint crc, ReadOnlySpan<ulong> words)
    {
        const int strand = StrandBytes / sizeof(ulong);
        ReadOnlySpan<ulong> first = words[..strand];
        ReadOnlySpan<ulong> second = words.Slice(strand, strand);
        ReadOnlySpan<ulong> third = words.Slice(2 * strand, strand);
        uint a = crc;
        uint b = 0;
        uint c = 0;
        for (int i = 0; i < strand; i++)
        {
            a = BitOperations.Crc32C(a, first[i]);
            b = BitOperations.Crc32C(b, second[i]);
            c = BitOperations.Crc32C(c, third[i]);
        }

        return Shift(Shift(a) ^ b) ^ c;
    }

    /// <summary>
    /// Prefetches the next block, which another processor may have written. A hardware prefetcher does not recognize three interleaved
    /// streams.
    /// </summary>
    private static unsafe void FetchAhead(ReadOnlySpan<byte> next)
    {
        if (Sse.IsSupported && next.Length >= 3 * StrandBytes)
        {
            fixed (byte* start = next)
            {
                for (int i = 0; i < 3 * StrandBytes; i += CacheLineBytes)
                {
                    Sse.Prefetch0(start + i);
                }
            }
        }
    }

    private static uint Shift(uint crc) =>
        Shifts[crc & 0xFF] ^ Shifts[256 + ((crc >> 8) & 0xFF)] ^ Shifts[512 + ((crc >> 16) & 0xFF)] ^ Shifts[768 + (crc >> 24)];

    private static uint[] MakeShifts()
    {
        uint[] shifts = new uint[4 * 256];
        for (int i = 0; i < shifts.Length; i++)
        {
            uint crc = (uint)(i & 0xFF) << (8 * (i >> 8));
            for (int zeros = 0; zeros < StrandBytes; zeros += sizeof(ulong))
            {
                crc = BitOperations.Crc32C(crc, 0UL);
            }

            shifts[i] = crc;
        }

        return shifts;
    }
}
