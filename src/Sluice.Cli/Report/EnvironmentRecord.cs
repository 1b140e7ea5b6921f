namespace Sluice.Cli.Report;

/// <summary>Where a figure was measured; a figure without it cannot be compared with another.</summary>
internal sealed record EnvironmentRecord
{
    public required string OperatingSystem { get; init; }

    public required string Kernel { get; init; }

    public required string Runtime { get; init; }

    public required string RuntimeMode { get; init; }

    public required string SluiceVersion { get; init; }

    public required string Engine { get; init; }

    /// <summary>Why the engine is not the ring, or null.</summary>
    public string? EngineReason { get; init; }

    public required string Processor { get; init; }

    public required int ProcessorCount { get; init; }

    public double? NominalFrequencyMhz { get; init; }

    public required long MemoryBytes { get; init; }

    /// <summary>Whether free pages are given back to a host, and by what; null where that is not told.</summary>
    public string? FreePages { get; init; }

    public string? FileSystem { get; init; }

    public string? MountPoint { get; init; }

    public string? MountOptions { get; init; }

    public string? Device { get; init; }

    public string? DeviceModel { get; init; }

    public string? Scheduler { get; init; }

    public bool? Rotational { get; init; }

    public int? LogicalBlockSizeBytes { get; init; }

    public long? FreeBytes { get; init; }
}
