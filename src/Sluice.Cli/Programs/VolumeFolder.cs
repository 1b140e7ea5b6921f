using Sluice.Cli.Bench;
using Sluice.Cli.Load;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs;

/// <summary>
/// A folder of one run's own with small ext4 volumes in image files, so that figures of fresh and of aged volumes touch nothing of the
/// user's. A run that was killed leaves them mounted; the next one unmounts and removes them.
/// </summary>
internal sealed class VolumeFolder : IDisposable
{
    public const string Prefix = "sluice-figures-";

    private readonly OwnedFolder _folder;

    private readonly Action<string> _tellAtEnd;

    private VolumeFolder(OwnedFolder folder, Action<string> tellAtEnd) => (_folder, _tellAtEnd) = (folder, tellAtEnd);

    /// <summary>Why no volume can be made here, as far as that is known beforehand; null where it may be tried.</summary>
    public static string? Refusal => !OperatingSystem.IsLinux() || !Environment.IsPrivilegedProcess
        ? "mounting a volume of its own needs root on Linux"
        : null;

    /// <param name="tellAtEnd">Gets why the folder stays, if it cannot be removed.</param>
    /// <exception cref="IOException">The parent does not exist or nothing can be made in it.</exception>
    public static VolumeFolder Create(string parent, Action<string> tellAtEnd) => new(OwnedFolder.Create(parent, Prefix), tellAtEnd);

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
                Remove(OwnedFolder.Take(folder, Prefix));
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

    /// <summary>
    /// Unmounts and deletes all; where something cannot be unmounted, nothing is deleted. Throws nothing: what was measured here would be
    /// lost.
    /// </summary>
    public void Dispose()
    {
        try
        {
            Remove(_folder);
        }
        catch (DirectoryNotFoundException)
        {
            // Someone tidied up already.
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            _tellAtEnd($"{_folder.FullPath} stays: {ErrorText.Of(e)}");
        }
    }

    private static void Remove(OwnedFolder folder)
    {
        using (folder)
        {
            // Mounts are listed by paths without links. Each took its loop device with it, and gives it back.
            string full = EnvironmentProbe.RealPathOf(folder.FullPath);
            foreach (string mountPoint in MountTable.PointsBelow(File.ReadLines("/proc/self/mountinfo"), full))
            {
                Unmount(mountPoint);
            }
        }
        Directory.Delete(folder.FullPath, recursive: true);
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
