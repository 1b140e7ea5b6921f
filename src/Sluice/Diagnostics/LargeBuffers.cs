using Sluice.Memory;

namespace Sluice.Diagnostics;

/// <summary>Allocates memory for requests of a benchmark in the same way as the library's pipelines.</summary>
internal static class LargeBuffers
{
    private const int PageBytes = 4096;

    /// <summary>
    /// Allocates adjacent, page-aligned buffers with unspecified content, in huge pages if available. Returns null if the size is too
    /// small, too large, or not a multiple of the page size.
    /// </summary>
    public static Memory<byte>[]? TryAllocate(int count, int sizeBytes)
    {
        long all = (long)count * sizeBytes;
        return sizeBytes % PageBytes == 0 && all is >= HugePages.FewestBytes and <= int.MaxValue / 2
            ? [.. AlignedBuffer.MakeSlab((int)all, sizeBytes).Select(b => b.Memory)]
            : null;
    }
}
