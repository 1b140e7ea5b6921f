using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Frag;

/// <summary>The settings of FragDisk (MSR-TR-2004-136) with its defaults, and the space to leave free.</summary>
internal sealed record FragSettings
{
    public int MaxFiles { get; init; } = 100_000;

    public long MinSizeBytes { get; init; } = ByteSize.MiB;

    public long MaxSizeBytes { get; init; } = 256 * ByteSize.MiB;

    public int FilesPerCycle { get; init; } = 1000;

    public int FilesPerDirectory { get; init; } = 100;

    public int SubdirectoriesPerDirectory { get; init; } = 10;

    /// <summary>The number of cycles; 0 to run until <see cref="MaxFiles"/> files have been created.</summary>
    public int Cycles { get; init; }

    /// <summary>The percentage of the files that remain at the end of a cycle.</summary>
    public int KeepPercent { get; init; } = 5;

    /// <summary>The percentage of the volume to fill, including other files.</summary>
    public int FillPercent { get; init; } = 70;

    public int Seed { get; init; } = 137;

    /// <summary>The free space that is never used, in bytes.</summary>
    public long LeaveBytes { get; init; } = 2 * ByteSize.GiB;

    /// <summary>
    /// Returns the number of bytes that may be written within the limits of <see cref="FillPercent"/> and <see cref="LeaveBytes"/>.
    /// </summary>
    public long BudgetBytes(VolumeSpace volume) => Math.Min(
        (long)((decimal)volume.TotalBytes * FillPercent / 100) - volume.UsedBytes,
        volume.AvailableBytes - LeaveBytes);
}
