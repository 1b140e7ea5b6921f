namespace Sluice.Cli.Load;

/// <summary>Reads every byte of a buffer, as a program does that uses the data.</summary>
internal static class ByteToucher
{
    private static int s_zeros;

    /// <summary>Counts the zeros, and stores the number, because the compiler could remove a loop without a result.</summary>
    public static void Touch(ReadOnlySpan<byte> bytes) => Volatile.Write(ref s_zeros, bytes.Count((byte)0));
}
