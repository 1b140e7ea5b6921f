using Sluice.Cli.Terminal;

namespace Sluice.Cli.Report;

/// <summary>The environment of a measurement. Results without it cannot be compared.</summary>
/// <param name="EngineReason">The reason why the engine is not io_uring; null if it is.</param>
internal sealed record EnvironmentRecord(
    string OperatingSystem, string Kernel, string Runtime, string RuntimeMode, string SluiceVersion, string Engine,
    string? EngineReason, string Processor, int ProcessorCount, double? NominalFrequencyMhz, long MemoryBytes, string? FileSystem,
    string? MountPoint, string? MountOptions, string? Device, string? DeviceModel, string? Scheduler, bool? Rotational,
    int? LogicalBlockSizeBytes, long? FreeBytes)
{
    /// <summary>Returns the values with their labels, for text and pages.</summary>
    public IEnumerable<(string Label, string Text)> Facts()
    {
        yield return ("sluice", Join(SluiceVersion, $"engine {Engine}: {EngineReason ?? "this kernel and sandbox allow io_uring"}"));
        yield return ("device", Join(
            Device, DeviceModel, Scheduler is { } scheduler ? $"scheduler {scheduler}" : null,
            Rotational switch { true => "rotating", false => "not rotating", null => null },
            LogicalBlockSizeBytes is { } block ? $"{block} B blocks" : null));
        yield return ("file sys", Join(
            FileSystem, MountPoint is { } point ? $"on {point}" : null, MountOptions,
            FreeBytes is { } free ? $"{ByteSize.Format(free)} free" : null) + (MemoryFileSystem.Note(FileSystem) is { } note ? $"; {note}" : ""));
        yield return ("machine", Join(
            Processor, $"{ProcessorCount} processors",
            NominalFrequencyMhz is { } mhz ? $"{mhz:0} MHz" : null,
            $"{ByteSize.Format(MemoryBytes)} memory"));
        yield return ("software", Join($"kernel {Kernel}", Runtime, RuntimeMode));
    }

    private static string Join(params string?[] parts)
    {
        string text = string.Join(", ", parts.Where(p => !string.IsNullOrEmpty(p)));
        return text.Length == 0 ? "unknown" : text;
    }
}
