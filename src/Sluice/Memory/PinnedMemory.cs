using System.Buffers;

namespace Sluice.Memory;

/// <summary>Addresses of memory that is pinned: valid as long as whoever holds the pin keeps it.</summary>
internal static unsafe class PinnedMemory
{
    public static nint AddressOf(in MemoryHandle pin) => (nint)pin.Pointer;

    /// <summary>The bytes at <paramref name="address"/>; the caller vouches that they are pinned or native while the span is
    /// used.</summary>
    public static Span<byte> SpanOf(nint address, int length) => new((void*)address, length);

    /// <summary>Gives a pin back. A caller's memory may throw then: what follows must not suffer, so the first exception is kept for the
    /// end.</summary>
    public static void Release(ref MemoryHandle pin, ref Exception? error)
    {
        MemoryHandle taken = pin;
        pin = default;
        try
        {
            taken.Dispose();
        }
        catch (Exception e)
        {
            error ??= e;
        }
    }
}
