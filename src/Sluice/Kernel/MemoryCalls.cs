using System.Runtime.InteropServices;
using Sluice.Uring;

namespace Sluice.Kernel;

/// <summary>System calls about memory.</summary>
internal static unsafe partial class MemoryCalls
{
    /// <summary>MADV_HUGEPAGE.</summary>
    private const int HugePage = 14;

    /// <summary>Advises the kernel to back whole huge pages; where it does not, nothing changes.</summary>
    public static void AdviseHugePages(void* address, nuint length) =>
        // A hint.
        _ = SystemCallFaults.Fails("madvise", -1) ? -1 : madvise(address, length, HugePage);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int madvise(void* address, nuint length, int advice);
}
