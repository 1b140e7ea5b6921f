using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace Sluice.Sequential;

/// <summary>Finds LF and CR characters in a span. Compares 64 bytes at once; each match is a bit of a mask.</summary>
[StructLayout(LayoutKind.Auto)]
internal struct NewlineScanner
{
    private const int Width = 64;

    private ulong _mask;

    /// <summary>The position of the mask's first bit. Everything before this position plus <see cref="Width"/> has been compared.</summary>
    private int _base;

    /// <summary>Starts at a position in a span.</summary>
    public NewlineScanner(int start) => _base = start - Width;

    /// <summary>Returns the position of the next LF or CR, or -1. All calls must pass the same span.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int Next(ReadOnlySpan<byte> span)
    {
        ulong mask = _mask;
        if (mask == 0)
        {
            // Uses a local and not a reference to a field: otherwise the caller's scanner could not be in registers.
            int at = _base + Width;
            if (at <= span.Length - (2 * Width))
            {
                // Lines of usual length take this path.
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
    /// Finds the next 64 bytes with a match. Returns their mask and position, or 0 at the end of the span. Static, because a call on an
    /// instance takes its address, so that it could not be in registers.
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
            // Compares the last bytes together with preceding ones, or one by one if there are too few.
            int rest = span.Length - at;
            mask = span.Length >= Width ? Compare(ref first, span.Length - Width) >> (Width - rest) : CompareEach(span[at..]);
        }

        return mask != 0 ? (mask, at) : (0, span.Length);
    }

    /// <summary>Compares 64 bytes from <paramref name="at"/> on. The caller ensures that they exist.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Compare(ref byte first, int at)
    {
        // Without vectors of this size, the compiler uses two or four smaller ones.
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
