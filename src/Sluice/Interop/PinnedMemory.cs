using System.Buffers;

namespace Sluice.Interop;

/// <summary>Addresses of memory that is pinned: valid as long as whoever holds the pin keeps it.</summary>
internal static unsafe class PinnedMemory
{
    public static nint AddressOf(in MemoryHandle pin) => (nint)pin.Pointer;

    /// <summary>The bytes at <paramref name="address"/>; the caller vouches that they are pinned or native while the span is used.</summary>
    public static Span<byte> SpanOf(nint address, int length) => new((void*)address, length);
}
