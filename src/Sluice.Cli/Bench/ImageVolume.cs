using Sluice.Cli.Load;
using Sluice.Cli.Report;

namespace Sluice.Cli.Bench;

/// <summary>
/// Small ext4 volumes in image files in a scratch folder, so that figures of fresh and of aged volumes touch nothing of the user's. An
/// image NAME.img is mounted at NAME beside it.
/// </summary>
internal static class ImageVolume
{
    private const string Suffix = ".img";

    /// <summary>Why no volume can be made here, as far as that is known beforehand; null where it may be tried.</summary>
    public static string? Refusal => !OperatingSystem.IsLinux() || !Environment.IsPrivilegedProcess
        ? "mounting a volume of its own needs root on Linux"
        : null;

    /// <summary>Makes an image, formats and mounts it.</summary>
    /// <returns>Where it is mounted.</returns>
    /// <exception cref="IOException">One of these steps failed.</exception>
    public static string Make(string folder, string name, long sizeBytes, CancellationToken cancellationToken)
    {
        string image = Path.Combine(folder, name + Suffix);
        // Written to its full length: the volume's blocks must not depend on where those of its image are allocated.
        using (IoTarget target = IoTarget.Open(IoSide.Bcl, new TargetOptions(image, FileMode.CreateNew, FileAccess.ReadWrite)))
        {
            FileMaker.Fill(target, 0, sizeBytes, FileMaker.DefaultRequestSizeBytes, progress: null, cancellationToken);
            target.Flush();
        }
        string mountPoint = Directory.CreateDirectory(Path.Combine(folder, name)).FullName;
        SystemCommand.Run("mkfs.ext4", "-q", "-F", "-b", "4096", "-m", "0", image);
        SystemCommand.Run("mount", "-o", "loop", image, mountPoint);
        return mountPoint;
    }

    /// <summary>Unmounts the volumes in a folder, which gives their loop devices back.</summary>
    /// <exception cref="IOException">One of them stays mounted.</exception>
    public static void UnmountAll(string folder)
    {
        foreach (string image in Directory.EnumerateFiles(folder, "*" + Suffix))
        {
            string mountPoint = image[..^Suffix.Length];
            if (EnvironmentProbe.MountPointOf(mountPoint) != EnvironmentProbe.RealPathOf(mountPoint))
                continue;
            try
            {
                SystemCommand.Run("umount", mountPoint);
            }
            catch (IOException)
            {
                // Somebody's file is open there: the mount goes when it is closed.
                SystemCommand.Run("umount", "--lazy", mountPoint);
            }
        }
    }
}
