using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace Sluice.Sequential;

/// <summary>Finds the LFs and CRs of a span one after another: 64 bytes are compared at once, and each hit is a bit of a mask.</summary>
[StructLayout(LayoutKind.Auto)]
internal struct NewlineScanner
{
    private const int Width = 64;

    private ulong _mask;

    /// <summary>Where the mask's first bit stands; everything before this plus <see cref="Width"/> has been compared.</summary>
    private int _base;

    /// <summary>Begins at a place in a span.</summary>
    public NewlineScanner(int start) => _base = start - Width;

    /// <summary>The next LF or CR of the span that all calls are about, or -1 when there is none left.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int Next(ReadOnlySpan<byte> span)
    {
        ulong mask = _mask;
        if (mask == 0)
        {
            // Not by reference to a field: the caller's scanner would have to live in memory, not in registers.
            int at = _base + Width;
            if (at <= span.Length - (2 * Width))
            {
                // Lines of usual length end here.
                ref byte first = ref MemoryMarshal.GetReference(span);
                mask = Compare(ref first, at);
                if (mask == 0)
                {
                    at += Width;
                    mask = Compare(ref first, at);
                }
            }

            if (mask == 0)
            {
                (mask, at) = FindMask(span, at);
            }

            _base = at;
            if (mask == 0)
            {
                return -1;
            }
        }

        _mask = mask & (mask - 1);
        return _base + BitOperations.TrailingZeroCount(mask);
    }

    /// <summary>
    /// The next 64 bytes that have a newline, as a mask of these, and where they begin; 0 at the end of the span. Static: a scanner
    /// whose address was taken would have to live in memory, not in its user's registers.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (ulong Mask, int At) FindMask(ReadOnlySpan<byte> span, int at)
    {
        ref byte first = ref MemoryMarshal.GetReference(span);
        ulong mask = 0;
        while (at <= span.Length - Width)
        {
            mask = Compare(ref first, at);
            if (mask != 0)
            {
                return (mask, at);
            }

            at += Width;
        }

        if (at < span.Length)
        {
            // The last bytes: compared together with some of those before them, or, where there are none, one by one.
            int rest = span.Length - at;
            mask = span.Length >= Width ? Compare(ref first, span.Length - Width) >> (Width - rest) : CompareEach(span[at..]);
        }

        return mask != 0 ? (mask, at) : (0, span.Length);
    }

    /// <summary>64 bytes from <paramref name="at"/> on; the caller vouches that they are there.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Compare(ref byte first, int at)
    {
        // Where there are no vectors of this size, the compiler takes two or four smaller ones.
        Vector512<byte> bytes = Vector512.LoadUnsafe(ref first, (nuint)at);
        return (Vector512.Equals(bytes, Vector512.Create((byte)'\n')) | Vector512.Equals(bytes, Vector512.Create((byte)'\r')))
            .ExtractMostSignificantBits();
    }

    private static ulong CompareEach(ReadOnlySpan<byte> bytes)
    {
        ulong mask = 0;
        for (int i = 0; i < bytes.Length; i++)
        {
            mask |= bytes[i] is (byte)'\n' or (byte)'\r' ? 1UL << i : 0;
        }

        return mask;
    }
}
