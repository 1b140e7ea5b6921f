using Sluice.Cli.Bench;
using Sluice.Cli.Load;
using Sluice.Cli.Report;

namespace Sluice.Cli.Programs;

/// <summary>
/// A folder of one run's own with small ext4 volumes in image files, so that figures of fresh and of aged volumes touch nothing of the
/// user's. A run that was killed leaves them mounted; the next one unmounts and removes them.
/// </summary>
internal sealed class VolumeFolder : IDisposable
{
    public const string Prefix = "sluice-figures-";

    private readonly OwnedFolder _folder;

    private VolumeFolder(OwnedFolder folder) => _folder = folder;

    /// <summary>Why no volume can be made here, as far as that is known beforehand; null where it may be tried.</summary>
    public static string? Refusal => !OperatingSystem.IsLinux() || !Environment.IsPrivilegedProcess
        ? "mounting a volume of its own needs root on Linux"
        : null;

    public static VolumeFolder Create(string parent) => new(OwnedFolder.Create(parent, Prefix));

    /// <summary>Removes what killed runs left.</summary>
    /// <returns>What was removed.</returns>
    public static IReadOnlyList<string> RemoveLeftovers(string parent)
    {
        var removed = new List<string>();
        foreach (string folder in OwnedFolder.Find(parent, Prefix).ToArray())
        {
            try
            {
                // Throws while the run that made it is alive.
                using (var left = new VolumeFolder(OwnedFolder.Take(folder, Prefix)))
                {
                }
                removed.Add(folder);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                // In use, or someone else's: both stay.
            }
        }
        return removed;
    }

    /// <summary>Makes an image, formats and mounts it.</summary>
    /// <returns>Where it is mounted.</returns>
    /// <exception cref="IOException">One of these steps failed.</exception>
    public string MakeVolume(string name, long sizeBytes, CancellationToken cancellationToken)
    {
        string image = Path.Combine(_folder.FullPath, $"{name}.img");
        // Written, not sparse: a fresh volume must not pay for the blocks of its image.
        using (IoTarget target = IoTarget.Open(IoSide.Bcl, new TargetOptions(image, FileMode.CreateNew, FileAccess.ReadWrite)))
        {
            FileMaker.Fill(target, 0, sizeBytes, FileMaker.DefaultRequestSizeBytes, progress: null, cancellationToken);
            target.Flush();
        }
        string mountPoint = Directory.CreateDirectory(Path.Combine(_folder.FullPath, name)).FullName;
        SystemCommand.Run("mkfs.ext4", "-q", "-F", "-b", "4096", "-m", "0", image);
        SystemCommand.Run("mount", "-o", "loop", image, mountPoint);
        return mountPoint;
    }

    /// <summary>Unmounts and deletes all; where something cannot be unmounted, nothing is deleted.</summary>
    public void Dispose()
    {
        // Mounts are listed by paths without links.
        string full = EnvironmentProbe.RealPathOf(_folder.FullPath);
        // The mount took its loop device with it, and gives it back.
        foreach (string mountPoint in MountTable.PointsBelow(File.ReadLines("/proc/self/mountinfo"), full))
        {
            Unmount(mountPoint);
        }
        _folder.Dispose();
        Directory.Delete(_folder.FullPath, recursive: true);
    }

    private static void Unmount(string mountPoint)
    {
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
