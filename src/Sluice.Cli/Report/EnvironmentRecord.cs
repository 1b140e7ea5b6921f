using Sluice.Cli.Terminal;

namespace Sluice.Cli.Report;

/// <summary>The environment of a measurement. Results without it cannot be compared.</summary>
internal sealed record EnvironmentRecord
{
    public required string OperatingSystem { get; init; }

    public required string Kernel { get; init; }

    public required string Runtime { get; init; }

    public required string RuntimeMode { get; init; }

    public required string SluiceVersion { get; init; }

    public required string Engine { get; init; }

    /// <summary>The reason why the engine is not io_uring; null if it is.</summary>
    public string? EngineReason { get; init; }

    public required string Processor { get; init; }

    public required int ProcessorCount { get; init; }

    public double? NominalFrequencyMhz { get; init; }

    public required long MemoryBytes { get; init; }

    public string? FileSystem { get; init; }

    public string? MountPoint { get; init; }

    public string? MountOptions { get; init; }

    public string? Device { get; init; }

    public string? DeviceModel { get; init; }

    public string? Scheduler { get; init; }

    public bool? Rotational { get; init; }

    public int? LogicalBlockSizeBytes { get; init; }

    public long? FreeBytes { get; init; }

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
