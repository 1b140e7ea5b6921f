namespace Sluice.Faults.Child.Support;

/// <summary>Bytes that a seed makes again.</summary>
internal static class Pattern
{
    public static byte[] Bytes(int seed, int length)
    {
        byte[] bytes = new byte[length];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }
}
