using System.Runtime.InteropServices;
using System.Text;
using Sluice.Faults.Tests.Support;

namespace Sluice.Log.Tests.Support;

/// <summary>
/// A file system in an image in memory whose power can be cut: from one moment on the device takes no write (the image is sealed, see
/// memfd_create(2)), and what it has then is what is mounted again. Any file system that can be made here will do.
/// </summary>
internal sealed unsafe partial class SealedDisk : IDisposable
{
    private const uint CloseOnExec = 1;
    private const uint AllowSealing = 2;
    private const int AddSeals = 1033;
    private const int SealFutureWrite = 0x10;

    private readonly string _root = Directory.CreateTempSubdirectory("sluice-disk-").FullName;
    private int _image = -1;
    private string? _loop;
    private bool _isMounted;

    private SealedDisk()
    {
        Folder = Path.Combine(_root, "top");
        Directory.CreateDirectory(Folder);
    }

    public string Folder { get; }

    /// <summary>A mounted, empty one; where it cannot be had, the test is skipped, and says why.</summary>
    public static SealedDisk OrSkip(FileSystemKind kind)
    {
        (long mebibytes, string maker) = kind switch
        {
            FileSystemKind.Xfs => (320, "mkfs.xfs"),
            FileSystemKind.Btrfs => (192, "mkfs.btrfs"),
            _ => (64, "mkfs.ext4"),
        };
        Skip.If(!OperatingSystem.IsLinux() || !Environment.IsPrivilegedProcess, $"{kind}: mounting needs root on Linux");
        Skip.If(!Command.Exists(maker) || !File.Exists("/dev/loop-control"), $"{kind}: it needs {maker} and loop devices");
        SealedDisk disk = new();
        try
        {
            disk._image = MakeImage();
            Skip.If(ftruncate(disk._image, mebibytes << 20) != 0, $"{kind}: no image in memory (errno {Marshal.GetLastSystemError()})");
            disk._loop = Command.Run("losetup", "--find", "--show", PathOf(disk._image));
            string? refusal = Command.TryRun(maker, "-q", disk._loop) ?? disk.MountLoop();
            Skip.If(refusal is not null, $"{kind}: {refusal}");
            return disk;
        }
        catch
        {
            disk.Dispose();
            throw;
        }
    }

    /// <summary>From now on nothing reaches the device.</summary>
    public void Cut() => fcntl(_image, AddSeals, SealFutureWrite).ShouldBe(0, "the image cannot be sealed");

    /// <summary>Mounts what the device had when the power was cut.</summary>
    public void Remount()
    {
        Unmount().ShouldBeNull();
        _ = Command.Run("losetup", "--detach", _loop!);
        _loop = null;
        int copy = MakeImage();
        Command.TryRun("cp", PathOf(_image), PathOf(copy)).ShouldBeNull();
        _ = close(_image);
        _image = copy;
        _loop = Command.Run("losetup", "--find", "--show", PathOf(copy));
        MountLoop().ShouldBeNull();
    }

    public void Dispose()
    {
        if (Unmount() is not null)
        {
            _ = Command.TryRun("umount", "--lazy", Folder);
        }

        if (_loop is not null)
        {
            _ = Command.TryRun("losetup", "--detach", _loop);
        }

        if (_image >= 0)
        {
            _ = close(_image);
        }

        Directory.Delete(_root, recursive: true);
    }

    private static int MakeImage()
    {
        // mkfs.btrfs takes a device for mounted whose image has the name of another that is.
        fixed (byte* name = Encoding.ASCII.GetBytes($"sluice-{Guid.NewGuid():N}\0"))
        {
            int image = memfd_create(name, CloseOnExec | AllowSealing);
            Skip.If(image < 0, $"no memory that can be sealed (errno {Marshal.GetLastSystemError()})");
            return image;
        }
    }

    private static string PathOf(int fd) => $"/proc/{Environment.ProcessId}/fd/{fd}";

    private string? MountLoop()
    {
        string? refusal = Command.TryRun("mount", _loop!, Folder);
        _isMounted = refusal is null;
        return refusal;
    }

    /// <summary>A process that another test is starting just now may still hold a file of it for a moment.</summary>
    private string? Unmount()
    {
        string? refusal = null;
        for (int i = 0; i < 100 && _isMounted; i++)
        {
            refusal = Command.TryRun("umount", Folder);
            if (refusal is null || !refusal.Contains("busy", StringComparison.Ordinal))
            {
                _isMounted = refusal is not null;
                break;
            }

            Thread.Sleep(100);
        }

        return refusal;
    }

    [LibraryImport("libc")]
    private static partial int memfd_create(byte* name, uint flags);

    [LibraryImport("libc")]
    private static partial int ftruncate(int fd, long length);

    [LibraryImport("libc")]
    private static partial int fcntl(int fd, int command, int argument);

    [LibraryImport("libc")]
    private static partial int close(int fd);
}
