using System.Runtime.InteropServices;
using System.Text;
using Sluice.Faults.Tests.Support;

namespace Sluice.Log.Tests.Support;

/// <summary>
/// A file system in an image in memory whose power can be cut: from one moment on the device takes no write (the image is sealed, see
/// memfd_create(2)), and what it has then is what is mounted again. Any file system that can be made here will do. An ext4 may have its
/// journal on a device of its own: then it is that one alone which stops.
/// </summary>
internal sealed unsafe partial class SealedDisk : IDisposable
{
    private const uint CloseOnExec = 1;
    private const uint AllowSealing = 2;
    private const int AddSeals = 1033;
    private const int SealFutureWrite = 0x10;
    private const long JournalMebibytes = 16;

    private readonly string _root = Directory.CreateTempSubdirectory("sluice-disk-").FullName;
    private int _image = -1;
    private string? _loop;
    private int _journal = -1;
    private string? _journalLoop;
    private bool _isMounted;
    private bool _journalsData;

    private SealedDisk()
    {
        Folder = Path.Combine(_root, "top");
        Directory.CreateDirectory(Folder);
    }

    public string Folder { get; }

    /// <summary>A mounted, empty one; where it cannot be had, the test is skipped, and says why.</summary>
    public static SealedDisk OrSkip(FileSystemKind kind, bool hasJournalApart = false)
    {
        (long mebibytes, string maker) = kind switch
        {
            FileSystemKind.Xfs => (320, "mkfs.xfs"),
            FileSystemKind.Btrfs => (192, "mkfs.btrfs"),
            _ => (64, "mkfs.ext4"),
        };
        Skip.If(!OperatingSystem.IsLinux() || !Environment.IsPrivilegedProcess, $"{kind}: mounting needs root on Linux");
        Skip.If(!Command.Exists(maker) || !File.Exists("/dev/loop-control"), $"{kind}: it needs {maker} and loop devices");
        SealedDisk disk = new() { _journalsData = kind == FileSystemKind.Ext4DataJournal };
        try
        {
            (disk._image, disk._loop) = MakeDevice(mebibytes);
            string? refusal = null;
            if (hasJournalApart)
            {
                (disk._journal, disk._journalLoop) = MakeDevice(JournalMebibytes);
                refusal = Command.TryRun(maker, "-q", "-b", "4096", "-O", "journal_dev", disk._journalLoop)
                    ?? Command.TryRun(maker, "-q", "-b", "4096", "-J", $"device={disk._journalLoop}", disk._loop);
            }
            else
            {
                refusal = Command.TryRun(maker, "-q", disk._loop);
            }

            refusal ??= disk.MountLoop();
            Skip.If(refusal is not null, $"{kind}: {refusal}");
            return disk;
        }
        catch
        {
            disk.Dispose();
            throw;
        }
    }

    /// <summary>From now on nothing reaches the device, or the journal's where it has one.</summary>
    public void Cut() =>
        fcntl(_journal >= 0 ? _journal : _image, AddSeals, SealFutureWrite).ShouldBe(0, "the image cannot be sealed");

    /// <summary>Mounts what the device had when the power was cut.</summary>
    public void Remount()
    {
        Unmount().ShouldBeNull();
        Replace(ref _image, ref _loop);
        if (_journal >= 0)
        {
            Replace(ref _journal, ref _journalLoop);
        }

        MountLoop().ShouldBeNull();
    }

    public void Dispose()
    {
        if (Unmount() is not null)
        {
            _ = Command.TryRun("umount", "--lazy", Folder);
        }

        foreach ((int image, string? loop) in (ReadOnlySpan<(int, string?)>)[(_image, _loop), (_journal, _journalLoop)])
        {
            if (loop is not null)
            {
                _ = Command.TryRun("losetup", "--detach", loop);
            }

            if (image >= 0)
            {
                _ = close(image);
            }
        }

        Directory.Delete(_root, recursive: true);
    }

    private static (int Image, string Loop) MakeDevice(long mebibytes)
    {
        int image = MakeImage();
        Skip.If(ftruncate(image, mebibytes << 20) != 0, $"no image in memory (errno {Marshal.GetLastSystemError()})");
        return (image, Command.Run("losetup", "--find", "--show", PathOf(image)));
    }

    /// <summary>What the device has, on one that takes writes.</summary>
    private static void Replace(ref int image, ref string? loop)
    {
        _ = Command.Run("losetup", "--detach", loop!);
        loop = null;
        int copy = MakeImage();
        Command.TryRun("cp", PathOf(image), PathOf(copy)).ShouldBeNull();
        _ = close(image);
        image = copy;
        loop = Command.Run("losetup", "--find", "--show", PathOf(copy));
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
        string[] options =
        [
            .. _journalLoop is null ? (string[])[] : ["-o", $"journal_path={_journalLoop}"],
            .. _journalsData ? (string[])["-o", "data=journal"] : [],
        ];
        string? refusal = Command.TryRun("mount", [.. options, _loop!, Folder]);
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

        return refusal is null ? null : $"{refusal}\nheld by {Holders.Of(Folder)}";
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
