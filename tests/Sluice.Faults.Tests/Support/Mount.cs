using Xunit;

namespace Sluice.Faults.Tests.Support;

/// <summary>
/// One mounted file system of a test's own: made in the constructor, unmounted (lazily, should something hold it) and deleted at the
/// end. Where it cannot be made, <see cref="Refusal"/> says why and nothing stays.
/// </summary>
public sealed class Mount : IDisposable
{
    private const string Memory = "/dev/shm";

    private const long MinFreeMemory = 2L << 30;

    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(2);

    private readonly string _root = Directory.CreateTempSubdirectory("sluice-mount-").FullName;
    private readonly List<string> _mounted = [];
    private readonly FileSystemKind _kind;
    private string? _loop;

    public Mount(FileSystemKind kind, string size = "")
    {
        _kind = kind;
        Folder = Path.Combine(_root, "top");
        Directory.CreateDirectory(Folder);
        try
        {
            Refusal = kind != FileSystemKind.Local && (!OperatingSystem.IsLinux() || !Environment.IsPrivilegedProcess)
                ? "mounting needs root on Linux"
                : Make(size);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>Where files of this file system go.</summary>
    public string Folder { get; }

    /// <summary>Why this file system cannot be had here; null when it is there.</summary>
    public string? Refusal { get; }

    private string[] Options => _kind == FileSystemKind.Ext4DataJournal ? ["-o", "data=journal"] : [];

    /// <summary>A mounted file system; where it cannot be had, the test is skipped, and says why.</summary>
    public static Mount OrSkip(FileSystemKind kind, string size = "")
    {
        Mount mount = new(kind, size);
        if (mount.Refusal is { } refusal)
        {
            mount.Dispose();
            Skip.If(true, $"{kind}: {refusal}");
        }

        return mount;
    }

    /// <summary>Unmounts and mounts again: what had not reached the device is gone.</summary>
    public string? Remount()
    {
        if (Unmount(Folder) is { } refusal)
        {
            return refusal;
        }

        // A process in another mount namespace may keep the file system alive, and mounting its device would give the same one again.
        _mounted.Clear();
        string device = Path.GetFileName(_loop!);
        return SpinWait.SpinUntil(() => !IsAlive(device), Patience)
            ? MountAt(Folder, [.. Options, _loop!, Folder])
            : $"{device} is still mounted in another namespace";

        static bool IsAlive(string device) => Directory.Exists($"/sys/fs/ext4/{device}") || Directory.Exists($"/sys/fs/xfs/{device}");
    }

    /// <summary>As ext4 does when it finds an error: no more writes, open files or not.</summary>
    public void MakeReadOnlyOrSkip()
    {
        string trigger = $"/sys/fs/ext4/{Path.GetFileName(_loop)}/trigger_fs_error";
        Skip.IfNot(File.Exists(trigger), "this kernel's ext4 cannot be told of an error");
        string? refusal = Command.TryRun("mount", "-o", "remount,errors=remount-ro", Folder);
        Skip.If(refusal is not null, refusal);
        File.WriteAllText(trigger, "a test\n");
    }

    public void Dispose()
    {
        for (int i = _mounted.Count - 1; i >= 0; i--)
        {
            if (Unmount(_mounted[i]) is not null)
            {
                _ = Command.TryRun("umount", "--lazy", _mounted[i]);
            }
        }

        _mounted.Clear();
        if (_loop is not null)
        {
            _ = Command.TryRun("losetup", "--detach", _loop);
            _loop = null;
        }

        Directory.Delete(_root, recursive: true);
    }

    /// <summary>A process that another test is starting just now may still hold a file of it for a moment.</summary>
    private static string? Unmount(string folder)
    {
        string? refusal = Command.TryRun("umount", folder);
        for (int i = 0; i < 600 && refusal is not null && refusal.Contains("busy", StringComparison.Ordinal); i++)
        {
            Thread.Sleep(100);
            refusal = Command.TryRun("umount", folder);
        }

        return refusal is null ? null : $"{refusal}\nheld by {Holders.Of(folder)}";
    }

    private string? Make(string size) => _kind switch
    {
        FileSystemKind.Local => null,
        FileSystemKind.Tmpfs => MountAt(Folder, ["-t", "tmpfs", "-o", $"size={(size.Length == 0 ? "64m" : size)}", "tmpfs", Folder]),
        FileSystemKind.Ramfs => MountAt(Folder, ["-t", "ramfs", "ramfs", Folder]),
        FileSystemKind.Overlay => MakeOverlay(),
        FileSystemKind.Bindfs => MakeBindfs(),
        FileSystemKind.BindfsWithoutRights =>
            MakeBindfs("--force-user=0", "--force-group=0", "--perms=a=rwx", "--chown-deny", "--chmod-deny"),
        FileSystemKind.Ext4 => MakeLoop(size.Length == 0 ? "64M" : size, 512, "mkfs.ext4", "-q"),
        FileSystemKind.Ext4DataJournal => MakeLoop("64M", 512, "mkfs.ext4", "-q"),
        FileSystemKind.Ext4Blocks4K => MakeLoop("64M", 4096, "mkfs.ext4", "-q", "-b", "4096"),
        FileSystemKind.Xfs => MakeLoop("320M", 512, "mkfs.xfs", "-q"),
        FileSystemKind.Btrfs => MakeLoop("192M", 512, "mkfs.btrfs", "-q"),
        _ => throw new ArgumentOutOfRangeException(nameof(size)),
    };

    private string? MakeOverlay()
    {
        if (MakeBelow(out string below) is { } refusal)
        {
            return refusal;
        }

        string lower = Directory.CreateDirectory(Path.Combine(below, "lower")).FullName;
        string upper = Directory.CreateDirectory(Path.Combine(below, "upper")).FullName;
        string work = Directory.CreateDirectory(Path.Combine(below, "work")).FullName;
        return MountAt(Folder, ["-t", "overlay", "overlay", "-o", $"lowerdir={lower},upperdir={upper},workdir={work}", Folder]);
    }

    private string? MakeBindfs(params string[] options)
    {
        if (!Command.Exists("bindfs") || !File.Exists("/dev/fuse"))
        {
            return "it needs bindfs and /dev/fuse";
        }

        string? refusal = MakeBelow(out string below) ?? Command.TryRun("bindfs", [.. options, below, Folder]);
        if (refusal is null)
        {
            _mounted.Add(Folder);
        }

        return refusal;
    }

    /// <summary>An ext4 on which another file system stands.</summary>
    private string? MakeBelow(out string folder)
    {
        folder = Directory.CreateDirectory(Path.Combine(_root, "below")).FullName;
        return MakeLoopAt(folder, "64M", 512, "mkfs.ext4", "-q");
    }

    private string? MakeLoop(string size, int blockBytes, string maker, params string[] arguments) =>
        MakeLoopAt(Folder, size, blockBytes, maker, arguments);

    private string? MakeLoopAt(string folder, string size, int blockBytes, string maker, params string[] arguments)
    {
        if (!Command.Exists(maker) || !File.Exists("/dev/loop-control"))
        {
            return $"it needs {maker} and loop devices";
        }

        // Sparse, so that size costs nothing; in memory, where there is room for all of it, for it is the file system that is tested and
        // not the disk below, whose every flush costs milliseconds.
        bool isInMemory = Directory.Exists(Memory) && new DriveInfo(Memory).AvailableFreeSpace > MinFreeMemory;
        string image = isInMemory ? Path.Combine(Memory, Path.GetFileName(_root)) : Path.Combine(_root, "image");
        string? refusal = Command.TryRun("truncate", "--size", size, image);
        if (refusal is not null)
        {
            return refusal;
        }

        try
        {
            _loop = Command.Run("losetup", "--find", "--show", "--sector-size", blockBytes.ToString(), image);
        }
        finally
        {
            // The device keeps it; a run that is killed leaves no name of it.
            File.Delete(image);
        }

        return Command.TryRun(maker, [.. arguments, _loop]) ?? MountAt(folder, [.. Options, _loop, folder]);
    }

    private string? MountAt(string folder, string[] arguments)
    {
        string? refusal = Command.TryRun("mount", arguments);
        if (refusal is null)
        {
            _mounted.Add(folder);
        }

        return refusal;
    }
}
