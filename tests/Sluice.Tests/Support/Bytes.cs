namespace Sluice.Tests.Support;

/// <summary>Content of test files, and how to compare it.</summary>
internal static class Bytes
{
    private const int Period = 251;

    /// <summary>Bytes whose period is not a power of two, so that a shifted block never looks right; never 0.</summary>
    public static byte[] Pattern(int length, int start = 0)
    {
        byte[] bytes = new byte[length];
        int filled = Math.Min(length, Period);
        for (int i = 0; i < filled; i++)
        {
            bytes[i] = (byte)(1 + ((start + i) % Period));
        }

        for (; filled < length; filled *= 2)
        {
            bytes.AsSpan(0, Math.Min(filled, length - filled)).CopyTo(bytes.AsSpan(filled));
        }

        return bytes;
    }

    /// <summary>Fails with the first byte that differs, not with two dumps.</summary>
    public static void ShouldBeBytes(this ReadOnlySpan<byte> actual, ReadOnlySpan<byte> expected, string what = "")
    {
        int same = actual.CommonPrefixLength(expected);
        if (same == actual.Length && same == expected.Length)
        {
            return;
        }

        string at = same < actual.Length && same < expected.Length ? $": byte {same} is {actual[same]}, not {expected[same]}" : "";
        Assert.Fail($"{what} {actual.Length} bytes, expected {expected.Length}, the first {same} agree{at}");
    }

    public static void ShouldBeBytes(this byte[] actual, ReadOnlySpan<byte> expected, string what = "") =>
        ((ReadOnlySpan<byte>)actual).ShouldBeBytes(expected, what);

    public static void ShouldBeBytes(this Memory<byte> actual, ReadOnlySpan<byte> expected, string what = "") =>
        ((ReadOnlySpan<byte>)actual.Span).ShouldBeBytes(expected, what);

    /// <summary>Memory whose address is a multiple of 4096 plus <paramref name="misalignment"/>, and stays where it is.</summary>
    public static Memory<byte> Pinned(int length, int misalignment = 0)
    {
        byte[] array = GC.AllocateArray<byte>(length + 8192, pinned: true);
        long address = Native.AddressOfPinned(array);
        int start = (int)((4096 - (address & 4095)) & 4095) + misalignment;
        return array.AsMemory(start, length);
    }
}
