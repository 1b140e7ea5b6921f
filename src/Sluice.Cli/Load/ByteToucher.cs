using System.Numerics;
using System.Runtime.InteropServices;

namespace Sluice.Cli.Load;

/// <summary>Reads every byte of a buffer, as a program does that uses the data.</summary>
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

    /// <summary>Reads the bytes and stores a result, because the compiler could remove a loop without one.</summary>
    public static void Touch(ReadOnlySpan<byte> bytes) => Volatile.Write(ref _sink, Volatile.Read(ref _sink) ^ Fold(bytes));
}
