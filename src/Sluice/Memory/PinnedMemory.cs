using System.Buffers;

namespace Sluice.Memory;

/// <summary>Addresses of pinned memory. They are valid as long as the memory is pinned.</summary>
internal static unsafe class PinnedMemory
{
    public static nint AddressOf(in MemoryHandle pin) => (nint)pin.Pointer;

    /// <summary>Returns the bytes at an address. The caller ensures that they are native or pinned while the span is used.</summary>
    public static Span<byte> SpanOf(nint address, int length) => new((void*)address, length);

    /// <summary>
    /// Disposes a pin. An exception of the caller's memory is stored in <paramref name="error"/>, unless it contains one, so that cleanup
    /// continues.
    /// </summary>
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
