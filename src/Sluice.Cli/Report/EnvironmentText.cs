using System.Globalization;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Report;

/// <summary>The environment record as the lines above a result.</summary>
internal static class EnvironmentText
{
    /// <summary>Columns before the value.</summary>
    public const int LabelWidth = 10;

    public static void Write(TerminalStreams terminal, EnvironmentRecord environment)
    {
        string reason = environment.EngineReason ?? "this kernel and sandbox allow io_uring";
        Line("sluice", environment.SluiceVersion, $"engine {environment.Engine}: {reason}");
        Line("device", environment.Device, environment.DeviceModel,
            environment.Scheduler is { } scheduler ? $"scheduler {scheduler}" : null,
            environment.Rotational switch { true => "rotating", false => "not rotating", null => null });
        Line("file sys", environment.FileSystem, environment.MountPoint is { } point ? $"on {point}" : null,
            environment.FreeBytes is { } free ? $"{ByteSize.Format(free)} free" : null);
        if (MemoryFileSystem.Note(environment.FileSystem) is { } note)
            Line("", note);
        Line("machine", environment.Processor, $"{environment.ProcessorCount} processors",
            environment.NominalFrequencyMhz is { } mhz ? string.Create(CultureInfo.InvariantCulture, $"{mhz:0} MHz") : null,
            $"{ByteSize.Format(environment.MemoryBytes)} memory");
        if (environment.FreePages is { } pages)
            Line("free mem", pages);
        Line("software", $"kernel {environment.Kernel}", environment.Runtime, environment.RuntimeMode);

        void Line(string label, params string?[] parts) => terminal.WriteLine($"{label,-LabelWidth}{Join(parts)}", LabelWidth);
    }

    private static string Join(string?[] parts)
    {
        string text = string.Join(", ", parts.Where(p => !string.IsNullOrEmpty(p)));
        return text.Length == 0 ? "unknown" : text;
    }
}
