using System.Runtime.InteropServices;
using Sluice.Uring;

namespace Sluice.Kernel;

/// <summary>Sleeping on 64-bit Linux.</summary>
internal static partial class ClockCalls
{
    private const long NsOfASecond = 1_000_000_000;

    /// <summary>
    /// Sleeps for a number of nanoseconds, and up to the timer slack of the thread longer (50 us by default), or until a signal arrives.
    /// </summary>
    /// <returns>False if the call was refused and did not sleep.</returns>
    public static bool Sleep(long ns)
    {
        int answer = SystemCallFaults.Fails("nanosleep", -1) ? -1 : nanosleep(new Timespec(ns / NsOfASecond, ns % NsOfASecond), 0);
        return answer == 0 || Marshal.GetLastSystemError() == Errno.EINTR;
    }

    [LibraryImport(SystemLibrary.Name)]
    private static partial int nanosleep(in Timespec time, nint left);

    private readonly record struct Timespec(long Seconds, long Ns);
}
