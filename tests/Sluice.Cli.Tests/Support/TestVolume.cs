using Xunit;

namespace Sluice.Cli.Tests.Support;

/// <summary>A file system or block device of the test's own. Making one needs root; a test that cannot have it is skipped.</summary>
internal sealed class TestVolume : IDisposable
{
    private readonly string[] _undo;

    private TestVolume(string path, params string[] undo) => (Path, _undo) = (path, [.. undo, path]);

    public string Path { get; }

    /// <summary>A tmpfs of a few megabytes.</summary>
    public static TestVolume MountMemory(string path, string size)
    {
        Directory.CreateDirectory(path);
        RunOrSkip("no tmpfs can be mounted here", "mount", "-t", "tmpfs", "-o", $"size={size}", "tmpfs", path);
        return new TestVolume(path, "umount");
    }

    /// <summary>A small ext4 in a file.</summary>
    /// <param name="folder">Gets the image and the mount point.</param>
    public static TestVolume MountExt4(string folder, long sizeBytes) => MountImage(folder, sizeBytes, "mkfs.ext4");

    /// <summary>A small ext4 that writes data to its journal first: it has no direct I/O.</summary>
    /// <inheritdoc cref="MountExt4"/>
    public static TestVolume MountWithoutDirect(string folder, long sizeBytes) =>
        MountImage(folder, sizeBytes, "mkfs.ext4", "loop,data=journal");

    /// <summary>A folder seen through a program's file system, which has no fallocate.</summary>
    /// <param name="folder">Gets what is seen and the mount point.</param>
    public static TestVolume MountBindfs(string folder)
    {
        (string seen, string mountPoint) = (System.IO.Path.Combine(folder, "seen"), System.IO.Path.Combine(folder, "volume"));
        Directory.CreateDirectory(seen);
        Directory.CreateDirectory(mountPoint);
        Skip.If(!File.Exists("/usr/bin/bindfs"), "bindfs is not installed");
        RunOrSkip("no FUSE file system can be mounted here", "bindfs", seen, mountPoint);
        return new TestVolume(mountPoint, "umount");
    }

    /// <summary>A folder over an empty one.</summary>
    /// <inheritdoc cref="MountBindfs"/>
    public static TestVolume MountOverlay(string folder)
    {
        string[] parts = [.. ((string[])["lower", "upper", "work", "volume"]).Select(n => System.IO.Path.Combine(folder, n))];
        foreach (string part in parts)
            Directory.CreateDirectory(part);
        RunOrSkip("no overlay can be mounted here",
            "mount", "-t", "overlay", "-o", $"lowerdir={parts[0]},upperdir={parts[1]},workdir={parts[2]}", "overlay", parts[3]);
        return new TestVolume(parts[3], "umount");
    }

    private static TestVolume MountImage(string folder, long sizeBytes, string make, string options = "loop")
    {
        string refusal = $"no image can be made by {make} and mounted here";
        string image = System.IO.Path.Combine(folder, "volume.img");
        string mountPoint = System.IO.Path.Combine(folder, "volume");
        Directory.CreateDirectory(mountPoint);
        using (FileStream file = File.Create(image))
            file.SetLength(sizeBytes);
        RunOrSkip(refusal, make, "-q", "-F", "-m", "0", image);
        RunOrSkip(refusal, "mount", "-o", options, image, mountPoint);
        return new TestVolume(mountPoint, "umount");
    }

    /// <summary>A block device over a file.</summary>
    public static TestVolume AttachLoop(string file) =>
        new(RunOrSkip("no loop device can be attached here", "losetup", "--find", "--show", file), "losetup", "--detach");

    /// <summary>A process that another test is starting just now may still hold a file of it for a moment.</summary>
    public void Dispose()
    {
        for (int i = 0; i < 600; i++)
        {
            (int exitCode, string output) = Shell.Run(_undo[0], _undo[1..]);
            if (exitCode == 0 || !output.Contains("busy", StringComparison.Ordinal))
                return;
            Thread.Sleep(100);
        }
    }

    private static string RunOrSkip(string refusal, string command, params string[] arguments)
    {
        (int exitCode, string output) = Shell.Run(command, arguments);
        Skip.If(exitCode != 0, $"{refusal}: {output.Trim()}");
        return output.Trim();
    }
}
