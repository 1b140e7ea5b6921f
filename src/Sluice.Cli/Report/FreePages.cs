namespace Sluice.Cli.Report;

/// <summary>
/// Determines whether the host of a virtual machine reclaims free pages (balloon, free page reporting). The first use of a reclaimed page
/// costs many times as much, so that measurements that fill the page cache measure the host.
/// </summary>
internal static class FreePages
{
    private const string VirtioDevices = "/sys/bus/virtio/devices";
    private const string HyperVBalloon = "/sys/module/hv_balloon";
    private const string XenBalloon = "/sys/devices/system/xen_memory";
    private const string BalloonDevice = "0x0005";

    // VIRTIO_BALLOON_F_REPORTING is this bit of the features.
    private const int ReportingBit = 5;

    /// <summary>Describes whether the host reclaims free pages. Returns null if the system does not provide this information.</summary>
    public static string? Describe() => OperatingSystem.IsLinux() ? Describe(VirtioDevices, HyperVBalloon, XenBalloon) : null;

    /// <param name="virtioDevices">A folder like /sys/bus/virtio/devices.</param>
    /// <param name="others">Folders that exist if there is another kind of balloon.</param>
    public static string Describe(string virtioDevices, params string[] others)
    {
        foreach (string device in Directory.Exists(virtioDevices) ? Directory.EnumerateFileSystemEntries(virtioDevices) : [])
        {
            if (Read(device, "device") != BalloonDevice)
                continue;
            return Read(device, "features") is { } features && features.Length > ReportingBit && features[ReportingBit] == '1'
                ? "given back to the host (virtio balloon, free page reporting)"
                : "may be given back to the host (virtio balloon, without free page reporting)";
        }
        return others.FirstOrDefault(Directory.Exists) is { } found
            ? $"may be given back to the host ({Path.GetFileName(found)})"
            : "kept: no balloon";
    }

    private static string? Read(string device, string name)
    {
        try
        {
            return File.ReadAllText(Path.Combine(device, name)).Trim();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
