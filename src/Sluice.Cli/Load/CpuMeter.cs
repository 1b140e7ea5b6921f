using System.Globalization;

namespace Sluice.Cli.Load;

/// <summary>Measures the processor time (user and kernel) of this process and of the programs that it has started.</summary>
internal static class CpuMeter
{
    /// <summary>Returns the time of this process, including the kernel's io-wq worker threads, but not interrupts.</summary>
    public static TimeSpan ProcessTime() => Environment.CpuUsage.TotalTime;

    /// <summary>Returns the time of started programs that have ended, in steps of 10 ms; 0 if it is unknown.</summary>
    public static TimeSpan ChildTime()
    {
        const string Path = "/proc/self/stat";
        return File.Exists(Path) ? ParseChildTime(File.ReadAllText(Path)) : TimeSpan.Zero;
    }

    /// <summary>
    /// Returns the sum of cutime and cstime (proc_pid_stat(5)). A tick is a hundredth of a second on every Linux system that .NET supports.
    /// </summary>
    internal static TimeSpan ParseChildTime(string stat)
    {
        // The name of the program is in parentheses, and may contain spaces and parentheses.
        string[] fields = stat[(stat.LastIndexOf(')') + 2)..].Split(' ');
        return TimeSpan.FromMilliseconds(
            10 * (long.Parse(fields[13], CultureInfo.InvariantCulture) + long.Parse(fields[14], CultureInfo.InvariantCulture)));
    }
}
