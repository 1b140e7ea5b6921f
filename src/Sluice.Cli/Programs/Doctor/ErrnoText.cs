using System.Runtime.InteropServices;

namespace Sluice.Cli.Programs.Doctor;

internal static class ErrnoText
{
    /// <summary>The system's sentence and the number, by which a search finds it.</summary>
    public static string Of(int errno) => $"{Marshal.GetPInvokeErrorMessage(errno)} (errno {errno})";
}
