using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs;

/// <summary>The used and the available space of a volume.</summary>
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

    public override string ToString() => $"{ByteSize.Format(TotalBytes)}, {UsedPercent:0.0} % used, {ByteSize.Format(AvailableBytes)} free";
}
