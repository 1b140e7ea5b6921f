using Sluice.Memory;

namespace Sluice.Diagnostics;

/// <summary>Memory for requests of a measurement as the library's own pipelines have it.</summary>
internal static class LargeBuffers
{
    private const int PageBytes = 4096;

    /// <summary>
    /// Buffers side by side in huge pages, where the system has them; at page borders, of unspecified contents. Null where they are too
    /// small, too large, or no whole pages.
    /// </summary>
    public static Memory<byte>[]? TryAllocate(int count, int sizeBytes)
    {
        long all = (long)count * sizeBytes;
        return sizeBytes % PageBytes == 0 && all is >= HugePages.FewestBytes and <= int.MaxValue / 2
            ? [.. AlignedBuffer.MakeSlab((int)all, sizeBytes).Select(b => b.Memory)]
            : null;
    }
}
