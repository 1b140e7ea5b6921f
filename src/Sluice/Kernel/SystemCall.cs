using System.Runtime.InteropServices;
using Sluice.Uring;

namespace Sluice.Kernel;

/// <summary>Converts the result of a function of the C library. Must be called directly after the function, on the same thread.</summary>
internal static class SystemCall
{
    /// <summary>Returns true if a signal interrupted the call. The call must then be repeated.</summary>
    public static bool WasInterrupted(nint answer) => answer < 0 && Marshal.GetLastSystemError() == Errno.EINTR;

    /// <summary>Returns the result or a negative errno.</summary>
    public static int Result(nint answer) => (int)Result((long)answer);

    /// <inheritdoc cref="Result(nint)"/>
    public static long Result(long answer) => answer < 0 ? -Marshal.GetLastSystemError() : answer;
}
