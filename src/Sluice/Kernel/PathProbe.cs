using System.Runtime.InteropServices;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Kernel;

/// <summary>statx(2) of a path, without opening what it names.</summary>
internal static unsafe partial class PathProbe
{
    /// <summary>What a path names, links followed; false where statx fails or there is none.</summary>
    public static bool TryStat(string path, out Statx stat)
    {
        stat = default;
        fixed (Statx* p = &stat)
        {
            nint answer = -1;
            while (Libc.IsSupported && SystemCall.WasInterrupted(answer = SystemCallFaults.Fails("statx", PathCalls.AtFdCwd)
                ? -1
                : statx(PathCalls.AtFdCwd, path, 0, (uint)StatxMask.BasicStats, p)))
            {
            }

            return answer >= 0;
        }
    }

    [LibraryImport("libc", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int statx(int directoryFd, string path, int flags, uint mask, Statx* result);
}
