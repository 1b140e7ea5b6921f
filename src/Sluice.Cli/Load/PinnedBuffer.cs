using System.Runtime.InteropServices;

namespace Sluice.Cli.Load;

/// <summary>Memory whose address is fixed and aligned to 4096 bytes, as direct I/O wants it.</summary>
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

    /// <summary>Random contents: zeros would flatter devices and file systems that compress or deduplicate.</summary>
    public static Memory<byte> AllocateRandom(int sizeBytes, int seed)
    {
        Memory<byte> buffer = Allocate(sizeBytes);
        new Random(seed).NextBytes(buffer.Span);
        return buffer;
    }
}
