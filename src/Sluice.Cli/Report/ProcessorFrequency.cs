using System.Globalization;

namespace Sluice.Cli.Report;

/// <summary>Determines the clock rate with which CPU time is converted to clocks.</summary>
internal static class ProcessorFrequency
{
    /// <summary>Returns the clock rate in Hz, which is the nominal one if it is known; null if none is known.</summary>
    public static double? NominalHz()
    {
        try
        {
            const string Path = "/proc/cpuinfo";
            return File.Exists(Path) ? ParseHz(File.ReadLines(Path)) : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>
    /// Returns the nominal clock rate in the model name ("@ 2.60GHz"). Without one, returns the current clock rate ("cpu MHz").
    /// </summary>
    internal static double? ParseHz(IEnumerable<string> cpuInfoLines)
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
