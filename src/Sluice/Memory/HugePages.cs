using Sluice.Kernel;

namespace Sluice.Memory;

/// <summary>
/// Requests huge pages (2 MiB) for large memory that is about to be written, which reduces the number of page faults to a 512th.
/// </summary>
internal static unsafe class HugePages
{
    /// <summary>The minimum size, in bytes. A smaller array contains too few whole huge pages.</summary>
    public const int FewestBytes = 4 << 20;

    /// <summary>The size of a huge page, in bytes.</summary>
    public const int PageBytes = 2 << 20;

    /// <summary>
    /// Advises the kernel (madvise, MADV_HUGEPAGE) for the whole huge pages of this memory, all of which the caller will write. Has no
    /// effect if huge pages are disabled.
    /// </summary>
    public static void Advise<T>(Span<T> memory)
        where T : unmanaged
    {
        if (!Libc.IsSupported || (long)memory.Length * sizeof(T) < FewestBytes)
        {
            return;
        }

        fixed (T* p = memory)
        {
            nuint begin = ((nuint)p + PageBytes - 1) & ~(nuint)(PageBytes - 1);
            nuint end = (nuint)(p + memory.Length) & ~(nuint)(PageBytes - 1);
            MemoryCalls.AdviseHugePages((void*)begin, end - begin);
        }
    }
}
