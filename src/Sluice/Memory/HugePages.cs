using Sluice.Kernel;

namespace Sluice.Memory;

/// <summary>Large memory that is about to be filled, in pages of 2 MiB: the kernel then gives it with a 512th of the page faults.</summary>
internal static unsafe class HugePages
{
    /// <summary>Below, too little of an array lies in whole huge pages.</summary>
    public const int FewestBytes = 4 << 20;

    /// <summary>The size of a huge page.</summary>
    public const int PageBytes = 2 << 20;

    /// <summary>
    /// Advises the kernel (madvise, MADV_HUGEPAGE) for what of this memory lies in whole huge pages, all of which the caller is going to
    /// write. Where the system has them switched off, nothing changes.
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
