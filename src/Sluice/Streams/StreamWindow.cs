using System.Runtime.InteropServices;

namespace Sluice.Streams;

/// <summary>
/// Memory of a stream. The garbage collector owns it, so it is never used for another file, even if a call still uses it when the stream is
/// closed. It is zeroed for the same reason.
/// </summary>
/// <param name="Array">The array.</param>
/// <param name="Start">The index of the first byte to use, which is aligned for direct transfers.</param>
internal readonly record struct StreamWindow(byte[] Array, int Start)
{
    public static StreamWindow None { get; } = new([], 0);

    public int Length => Array.Length - Start;

    /// <param name="size">The number of bytes.</param>
    /// <param name="alignment">The alignment of the memory. If it is not 1, the memory is pinned.</param>
    public static StreamWindow Allocate(int size, int alignment)
    {
        if (alignment <= 1)
        {
            return new StreamWindow(new byte[size], 0);
        }

        byte[] array = GC.AllocateArray<byte>(size + alignment, pinned: true);
        return new StreamWindow(array, (int)(-Marshal.UnsafeAddrOfPinnedArrayElement(array, 0) & (alignment - 1)));
    }

    public Span<byte> Span(int length) => Array.AsSpan(Start, length);

    public Memory<byte> Memory(int length) => Array.AsMemory(Start, length);
}
