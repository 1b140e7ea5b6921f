namespace Sluice.Cli.Report;

/// <summary>The environment of a measurement. Values without it cannot be compared.</summary>
internal sealed record EnvironmentRecord
{
    public required string OperatingSystem { get; init; }

    public required string Kernel { get; init; }

    public required string Runtime { get; init; }

    public required string RuntimeMode { get; init; }

    public required string SluiceVersion { get; init; }

    public required string Engine { get; init; }

    /// <summary>The reason why the engine is not io_uring, or null.</summary>
    public string? EngineReason { get; init; }

    public required string Processor { get; init; }

    public required int ProcessorCount { get; init; }

    public double? NominalFrequencyMhz { get; init; }

    public required long MemoryBytes { get; init; }

    /// <summary>Describes how a host reclaims free pages; null if it is not known.</summary>
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
