using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Sluice.Sequential;

/// <summary>Helpers for records of one type.</summary>
internal static class Records
{
    /// <summary>Returns true if records at this address can be accessed without a copy.</summary>
    public static bool IsAligned<T>(nint address)
        where T : unmanaged => address % (Unsafe.SizeOf<Padded<T>>() - Unsafe.SizeOf<T>()) == 0;

    [DoesNotReturn]
    public static void ThrowCut<T>(string path, long offset, int rest)
        where T : unmanaged =>
        throw new InvalidDataException(
            $"'{path}' ends at offset {offset + rest}, {rest} bytes into a record of {Unsafe.SizeOf<T>()} bytes ({typeof(T).Name}): its "
                + "length is not a multiple of that.");

    /// <summary>A struct whose first field forces the record to its alignment.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct Padded<T>
        where T : unmanaged
    {
        public byte Before;
        public T Record;
    }
}
