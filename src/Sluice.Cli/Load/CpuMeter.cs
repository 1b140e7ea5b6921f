using System.Globalization;

namespace Sluice.Cli.Load;

/// <summary>Processor time of this process, user and kernel, and the frequency that turns it into clocks.</summary>
internal static class CpuMeter
{
    /// <summary>Includes the kernel's worker threads that belong to this process (io-wq), not interrupts.</summary>
    public static TimeSpan ProcessTime() => Environment.CpuUsage.TotalTime;

    /// <summary>Processor time of the programs that this process has run and that have ended, in steps of 10 ms; 0 where nothing tells it.</summary>
    public static TimeSpan ChildTime()
    {
        const string Path = "/proc/self/stat";
        return File.Exists(Path) ? ParseChildTime(File.ReadAllText(Path)) : TimeSpan.Zero;
    }

    /// <summary>Nominal frequency in Hz, or null where nothing tells it.</summary>
    public static double? NominalFrequencyHz()
    {
        try
        {
            const string Path = "/proc/cpuinfo";
            return File.Exists(Path) ? ParseFrequencyHz(File.ReadLines(Path)) : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>cutime and cstime (proc_pid_stat(5)), whose ticks are a hundredth of a second on every Linux that .NET runs on.</summary>
    internal static TimeSpan ParseChildTime(string stat)
    {
        // The program's name, in brackets, may hold spaces and brackets itself.
        string[] fields = stat[(stat.LastIndexOf(')') + 2)..].Split(' ');
        return TimeSpan.FromMilliseconds(10 * (long.Parse(fields[13], CultureInfo.InvariantCulture) + long.Parse(fields[14], CultureInfo.InvariantCulture)));
    }

    /// <summary>The frequency in the model name ("@ 2.60GHz") is nominal; "cpu MHz" is the present one and comes second.</summary>
    internal static double? ParseFrequencyHz(IEnumerable<string> cpuInfoLines)
    {
        double? presentHz = null;
        foreach (string line in cpuInfoLines)
        {
            int colon = line.IndexOf(':', StringComparison.Ordinal);
            if (colon < 0)
                continue;
            string value = line[(colon + 1)..].Trim();
            if (line.StartsWith("model name", StringComparison.Ordinal))
            {
                int at = value.LastIndexOf("@ ", StringComparison.Ordinal);
                if (at >= 0 && value.EndsWith("GHz", StringComparison.Ordinal)
                    && double.TryParse(value.AsSpan(at + 2, value.Length - at - 5), CultureInfo.InvariantCulture, out double ghz))
                {
                    return ghz * 1e9;
                }
            }
            else if (presentHz is null && line.StartsWith("cpu MHz", StringComparison.Ordinal)
                && double.TryParse(value, CultureInfo.InvariantCulture, out double mhz))
            {
                presentHz = mhz * 1e6;
            }
        }
        return presentHz;
    }
}
