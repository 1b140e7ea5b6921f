using System.Globalization;

namespace Sluice.Cli.Load;

/// <summary>Processor time of this process (user and kernel) and of the programs that it has started.</summary>
internal static class CpuMeter
{
    /// <summary>Includes the kernel's worker threads that belong to this process (io-wq), not interrupts.</summary>
    public static TimeSpan ProcessTime() => Environment.CpuUsage.TotalTime;

    /// <summary>Processor time of started programs that have ended, in steps of 10 ms; 0 if it is not known.</summary>
    public static TimeSpan ChildTime()
    {
        const string Path = "/proc/self/stat";
        return File.Exists(Path) ? ParseChildTime(File.ReadAllText(Path)) : TimeSpan.Zero;
    }

    /// <summary>cutime and cstime (proc_pid_stat(5)), whose ticks are a hundredth of a second on every Linux that .NET runs on.</summary>
    internal static TimeSpan ParseChildTime(string stat)
    {
        // The program's name, in brackets, may hold spaces and brackets itself.
        string[] fields = stat[(stat.LastIndexOf(')') + 2)..].Split(' ');
        return TimeSpan.FromMilliseconds(
            10 * (long.Parse(fields[13], CultureInfo.InvariantCulture) + long.Parse(fields[14], CultureInfo.InvariantCulture)));
    }
}
