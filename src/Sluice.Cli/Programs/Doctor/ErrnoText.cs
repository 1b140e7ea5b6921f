using System.Runtime.InteropServices;

namespace Sluice.Cli.Programs.Doctor;

internal static class ErrnoText
{
    /// <summary>Returns the system's description of an errno, and the number, which is easy to search for.</summary>
    public static string Of(int errno) => $"{Marshal.GetPInvokeErrorMessage(errno)} (errno {errno})";
}
