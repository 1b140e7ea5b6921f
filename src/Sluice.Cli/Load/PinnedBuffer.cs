using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace Sluice.Cli.Load;

/// <summary>Allocates memory with a fixed address that is aligned to 4096 bytes, as direct I/O requires.</summary>
internal static class PinnedBuffer
{
    public const int AlignmentBytes = 4096;

    public static Memory<byte> Allocate(int sizeBytes)
    {
        byte[] array = GC.AllocateArray<byte>(checked(sizeBytes + AlignmentBytes), pinned: true);
        long address = Marshal.UnsafeAddrOfPinnedArrayElement(array, 0);
        int skip = (int)((AlignmentBytes - (address % AlignmentBytes)) % AlignmentBytes);
        return array.AsMemory(skip, sizeBytes);
    }

    /// <summary>Allocates a buffer with random content, because devices and file systems may compress or deduplicate zeros.</summary>
    public static Memory<byte> AllocateRandom(int sizeBytes, int seed)
    {
        Memory<byte> buffer = Allocate(sizeBytes);
        new Random(seed).NextBytes(buffer.Span);
        return buffer;
    }

    /// <summary>Writes the offset to the start of a block: a deduplicating device would store equal blocks once.</summary>
    public static void Stamp(Span<byte> block, long offset)
    {
        if (block.Length >= sizeof(long))
            BinaryPrimitives.WriteInt64LittleEndian(block, offset);
    }
}
