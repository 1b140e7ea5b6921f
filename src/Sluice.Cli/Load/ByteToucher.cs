using System.Numerics;
using System.Runtime.InteropServices;

namespace Sluice.Cli.Load;

/// <summary>Reads every byte of a buffer, like a program that uses its data.</summary>
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

    /// <summary>The result is stored; otherwise the compiler could remove the loop.</summary>
    public static void Touch(ReadOnlySpan<byte> bytes) => Volatile.Write(ref _sink, Volatile.Read(ref _sink) ^ Fold(bytes));
}
