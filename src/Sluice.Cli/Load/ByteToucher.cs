using System.Numerics;
using System.Runtime.InteropServices;

namespace Sluice.Cli.Load;

/// <summary>Brings every byte of a buffer through the processor, as a program that looks at its data would.</summary>
internal static class ByteToucher
{
    private static ulong _sink;

    public static ulong Fold(ReadOnlySpan<byte> bytes)
    {
        Vector<ulong> folded = Vector<ulong>.Zero;
        ReadOnlySpan<Vector<ulong>> vectors = MemoryMarshal.Cast<byte, Vector<ulong>>(bytes);
        foreach (Vector<ulong> vector in vectors)
            folded ^= vector;
        ulong result = 0;
        for (int i = 0; i < Vector<ulong>.Count; i++)
            result ^= folded[i];
        foreach (byte b in bytes[(vectors.Length * Vector<byte>.Count)..])
            result = ulong.RotateLeft(result, 8) ^ b;
        return result;
    }

    /// <summary>The result is kept, or the compiler might drop the work.</summary>
    public static void Touch(ReadOnlySpan<byte> bytes) => Volatile.Write(ref _sink, Volatile.Read(ref _sink) ^ Fold(bytes));
}
