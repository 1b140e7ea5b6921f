using System.Runtime.InteropServices;
using Sluice.Uring;

namespace Sluice.Kernel;

/// <summary>System calls about memory.</summary>
internal static unsafe partial class MemoryCalls
{
    /// <summary>MADV_HUGEPAGE.</summary>
    private const int HugePage = 14;

    /// <summary>Advises the kernel to use huge pages. Errors are ignored.</summary>
    public static void AdviseHugePages(void* address, nuint length) =>
        // Advice only: an error has no effect.
        _ = SystemCallFaults.Fails("madvise", -1) ? -1 : madvise(address, length, HugePage);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int madvise(void* address, nuint length, int advice);
}
