using System.Globalization;
using Sluice.Cli.Report;

namespace Sluice.Cli.Bench;

/// <summary>The programs that this process has started.</summary>
internal static class ChildProcesses
{
    /// <summary>
    /// Returns the processor time (user and kernel) of those that have ended, in steps of 10 ms: the sum of cutime and cstime
    /// (proc_pid_stat(5)). A tick is a hundredth of a second on every Linux system that .NET supports. Returns 0 on other systems.
    /// </summary>
    public static TimeSpan CpuTime()
    {
        if (SystemFile.FirstLine("/proc/self/stat") is not { } stat)
            return TimeSpan.Zero;
        // The name of the program is in parentheses, and may contain spaces and parentheses.
        string[] fields = stat[(stat.LastIndexOf(')') + 2)..].Split(' ');
        return TimeSpan.FromMilliseconds(
            10 * (long.Parse(fields[13], CultureInfo.InvariantCulture) + long.Parse(fields[14], CultureInfo.InvariantCulture)));
    }
}
