using System.Runtime.InteropServices;

// HandleModel of Sluice.Tests is a part of this program, and has its memory from here.
namespace Sluice.Tests.Support;

internal static class Bytes
{
    private const int Page = 4096;

    /// <summary>Memory that begins at a page, and stays where it is.</summary>
    public static Memory<byte> Pinned(int length)
    {
        byte[] array = GC.AllocateArray<byte>(length + Page, pinned: true);
        int behindPage = (int)(Marshal.UnsafeAddrOfPinnedArrayElement(array, 0) % Page);
        return array.AsMemory(Page - behindPage, length);
    }
}
