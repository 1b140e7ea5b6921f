namespace Sluice.Cli.Bench;

/// <summary>What a row must reach. Ratios are Sluice to the other, so CPU and bytes are upper limits, the rest lower ones.</summary>
internal sealed record RowTarget
{
    public double? MinRatio { get; init; }

    public double? MaxCpuShare { get; init; }

    public double? MinSecondRatio { get; init; }

    public double? MinFioRatio { get; init; }

    /// <summary>For rows of operations a second: what one may take.</summary>
    public double? MaxMilliseconds { get; init; }

    /// <summary>For rows of operations a second: what one may take.</summary>
    public double? MaxNanoseconds { get; init; }

    /// <summary>For rows in MiB/s.</summary>
    public double? MinMiBPerSecond { get; init; }

    public double? MaxAllocatedBytes { get; init; }

    /// <summary>Whether Sluice may allocate no more than .NET does.</summary>
    public bool AllocatesNoMore { get; init; }
}
