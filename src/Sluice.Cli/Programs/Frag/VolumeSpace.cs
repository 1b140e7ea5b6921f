using Sluice.Cli.Commands;

namespace Sluice.Cli.Programs.Frag;

/// <summary>How full a volume is.</summary>
[System.Runtime.InteropServices.StructLayout(System.Runtime.InteropServices.LayoutKind.Auto)]
internal readonly record struct VolumeSpace(long TotalBytes, long FreeBytes, long AvailableBytes)
{
    public long UsedBytes => TotalBytes - FreeBytes;

    public double UsedPercent => TotalBytes == 0 ? 0 : 100.0 * UsedBytes / TotalBytes;

    public static VolumeSpace Of(string directory)
    {
        var drive = new DriveInfo(directory);
        return new VolumeSpace(drive.TotalSize, drive.TotalFreeSpace, drive.AvailableFreeSpace);
    }

    /// <summary>Bytes that may be written without passing the share of the volume or touching what is to be left.</summary>
    public long BudgetBytes(FragSettings settings) => Math.Min(
        (long)((decimal)TotalBytes * settings.FillPercent / 100) - UsedBytes,
        AvailableBytes - settings.LeaveBytes);

    public override string ToString() => $"{ByteSize.Format(TotalBytes)}, {UsedPercent:0.0} % used, {ByteSize.Format(AvailableBytes)} free";
}
