using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Frag;

/// <summary>The numbers of FragDisk (MSR-TR-2004-136) with its defaults, and ours.</summary>
internal sealed record FragSettings
{
    public int MaxFiles { get; init; } = 100_000;

    public long MinSizeBytes { get; init; } = ByteSize.MiB;

    public long MaxSizeBytes { get; init; } = 256 * ByteSize.MiB;

    public int FilesPerCycle { get; init; } = 1000;

    public int FilesPerDirectory { get; init; } = 100;

    public int SubdirectoriesPerDirectory { get; init; } = 10;

    /// <summary>0: until <see cref="MaxFiles"/> have been made.</summary>
    public int Cycles { get; init; }

    /// <summary>Of the files that are there at the end of a cycle.</summary>
    public int KeepPercent { get; init; } = 5;

    /// <summary>Of the volume, whoever's files they are.</summary>
    public int FillPercent { get; init; } = 70;

    public int Seed { get; init; } = 137;

    /// <summary>Free bytes that are never touched.</summary>
    public long LeaveBytes { get; init; } = 2 * ByteSize.GiB;

    public FragProfile Profile { get; init; }

    /// <summary>End after the cycle whose files lie in so many pieces on average; null: do not look.</summary>
    public double? TargetPieces { get; init; }

    /// <summary>Bytes that may be written without passing the share of the volume or touching what is to be left.</summary>
    public long BudgetBytes(VolumeSpace volume) => Math.Min(
        (long)((decimal)volume.TotalBytes * FillPercent / 100) - volume.UsedBytes,
        volume.AvailableBytes - LeaveBytes);
}
