using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Frag;

/// <summary>The settings of FragDisk (MSR-TR-2004-136) with its defaults, and the space to leave free.</summary>
/// <param name="Cycles">The number of cycles; 0 to run until <see cref="MaxFiles"/> files have been created.</param>
/// <param name="KeepPercent">The percentage of the files that remain at the end of a cycle.</param>
/// <param name="FillPercent">The percentage of the volume to fill, including other files.</param>
/// <param name="LeaveBytes">The free space that is never used, in bytes.</param>
internal sealed record FragSettings(
    int MaxFiles = 100_000, long MinSizeBytes = ByteSize.MiB, long MaxSizeBytes = 256 * ByteSize.MiB, int FilesPerCycle = 1000,
    int FilesPerDirectory = 100, int SubdirectoriesPerDirectory = 10, int Cycles = 0, int KeepPercent = 5, int FillPercent = 70,
    int Seed = 137, long LeaveBytes = 2 * ByteSize.GiB)
{
    /// <summary>
    /// Returns the number of bytes that may be written within the limits of <see cref="FillPercent"/> and <see cref="LeaveBytes"/>.
    /// </summary>
    public long BudgetBytes(VolumeSpace volume) => Math.Min(
        (long)((decimal)volume.TotalBytes * FillPercent / 100) - volume.UsedBytes,
        volume.AvailableBytes - LeaveBytes);
}
