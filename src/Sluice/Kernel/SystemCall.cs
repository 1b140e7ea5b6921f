using System.Runtime.InteropServices;
using Sluice.Uring;

namespace Sluice.Kernel;

/// <summary>What the C library's answer to a system call means; asked right after the call, on its thread.</summary>
internal static class SystemCall
{
    /// <summary>A signal came in between: the call is to be made again.</summary>
    public static bool WasInterrupted(nint answer) => answer < 0 && Marshal.GetLastSystemError() == Errno.EINTR;

    /// <summary>The answer, or a negative errno.</summary>
    public static int Result(nint answer) => (int)Result((long)answer);

    /// <inheritdoc cref="Result(nint)"/>
    public static long Result(long answer) => answer < 0 ? -Marshal.GetLastSystemError() : answer;
}
