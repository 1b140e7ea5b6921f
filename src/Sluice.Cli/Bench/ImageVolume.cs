using Sluice.Cli.Load;
using Sluice.Cli.Report;

namespace Sluice.Cli.Bench;

/// <summary>
/// Small ext4 volumes in image files in a scratch folder, for figures of new and of fragmented volumes. An image NAME.img is mounted at
/// NAME in the same folder.
/// </summary>
internal static class ImageVolume
{
    private const string Suffix = ".img";

    /// <summary>Returns the reason why no volume can be created here, if it is known beforehand; otherwise, null.</summary>
    public static string? Refusal => !OperatingSystem.IsLinux() || !Environment.IsPrivilegedProcess
        ? "mounting a volume of its own needs root on Linux"
        : null;

    /// <summary>Creates an image file, formats it and mounts it.</summary>
    /// <returns>The path of the mount point.</returns>
    /// <exception cref="IOException">A step failed.</exception>
    public static string Make(string folder, string name, long sizeBytes, CancellationToken cancellationToken)
    {
        string image = Path.Combine(folder, name + Suffix);
        // The image is written to its full length, so that the blocks of the volume do not depend on the allocation of the image.
        FileMaker.Create(
            IoSide.Bcl, new TargetOptions(image, FileMode.CreateNew, FileAccess.ReadWrite), sizeBytes, FileMaker.DefaultRequestSizeBytes,
            progress: null, cancellationToken);
        string mountPoint = Directory.CreateDirectory(Path.Combine(folder, name)).FullName;
        SystemCommand.Run("mkfs.ext4", "-q", "-F", "-b", "4096", "-m", "0", image);
        SystemCommand.Run("mount", "-o", "loop", image, mountPoint);
        return mountPoint;
    }

    /// <summary>
    /// Unmounts the volumes in a folder, which frees their loop devices. A volume with open files is unmounted when they are closed.
    /// </summary>
    /// <exception cref="IOException">A volume cannot be unmounted.</exception>
    public static void UnmountAll(string folder)
    {
        foreach (string image in Directory.EnumerateFiles(folder, "*" + Suffix))
        {
            string mountPoint = image[..^Suffix.Length];
            if (EnvironmentProbe.MountOf(mountPoint)?.MountPoint != EnvironmentProbe.RealPathOf(mountPoint))
                continue;
            try
            {
                SystemCommand.Run("umount", mountPoint);
            }
            catch (IOException)
            {
                // If a file on the volume is open, the mount is removed when it is closed.
                SystemCommand.Run("umount", "--lazy", mountPoint);
            }
        }
    }
}
