using System.Globalization;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Report;

/// <summary>The environment record as the lines over a result.</summary>
internal static class EnvironmentText
{
    public static void Write(TextWriter output, EnvironmentRecord environment)
    {
        output.WriteLine($"device    {Join(environment.Device, environment.DeviceModel,
            environment.Scheduler is { } scheduler ? $"scheduler {scheduler}" : null,
            environment.Rotational switch { true => "rotating", false => "not rotating", null => null })}");
        output.WriteLine($"file sys  {Join(environment.FileSystem, environment.MountPoint is { } point ? $"on {point}" : null,
            environment.FreeBytes is { } free ? $"{ByteSize.Format(free)} free" : null)}");
        output.WriteLine($"machine   {Join(environment.Processor, $"{environment.ProcessorCount} processors",
            environment.NominalFrequencyMhz is { } mhz ? string.Create(CultureInfo.InvariantCulture, $"{mhz:0} MHz") : null,
            $"{ByteSize.Format(environment.MemoryBytes)} memory")}");
        if (environment.FreePages is { } pages)
            output.WriteLine($"free mem  {pages}");
        output.WriteLine($"software  {Join($"kernel {environment.Kernel}", environment.Runtime, environment.RuntimeMode)}");
    }

    private static string Join(params string?[] parts)
    {
        string text = string.Join(", ", parts.Where(p => !string.IsNullOrEmpty(p)));
        return text.Length == 0 ? "unknown" : text;
    }
}
