using System.Globalization;

namespace Sluice.Cli.Report;

/// <summary>Determines the clock rate with which CPU time is converted to clocks.</summary>
internal static class ProcessorFrequency
{
    /// <summary>Returns the clock rate in Hz, which is the nominal one if it is known; null if none is known.</summary>
    public static double? NominalHz() => ParseHz(SystemFile.Lines("/proc/cpuinfo"));

    /// <summary>
    /// Returns the nominal clock rate in the model name ("@ 2.60GHz"). Without one, returns the current clock rate ("cpu MHz").
    /// </summary>
    internal static double? ParseHz(string[] cpuInfo)
    {
        if (SystemFile.Value(cpuInfo, "model name")?.Split("@ ") is [.., [.. var nominal, 'G', 'H', 'z']]
            && double.TryParse(nominal, CultureInfo.InvariantCulture, out double gigahertz))
        {
            return gigahertz * 1e9;
        }
        return double.TryParse(SystemFile.Value(cpuInfo, "cpu MHz"), CultureInfo.InvariantCulture, out double megahertz)
            ? megahertz * 1e6
            : null;
    }
}
