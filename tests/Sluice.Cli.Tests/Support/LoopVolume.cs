namespace Sluice.Cli.Tests.Support;

/// <summary>A small ext4 of the test's own, in a file, mounted by root.</summary>
internal sealed class LoopVolume : IDisposable
{
    private LoopVolume(string path) => Path = path;

    public string Path { get; }

    /// <param name="folder">Gets the image and the mount point.</param>
    public static LoopVolume? TryMount(string folder, long sizeBytes, out string reason)
    {
        string image = System.IO.Path.Combine(folder, "volume.img");
        string mountPoint = System.IO.Path.Combine(folder, "volume");
        Directory.CreateDirectory(mountPoint);
        using (FileStream file = File.Create(image))
            file.SetLength(sizeBytes);
        (int exitCode, string output) = Shell.Run("mkfs.ext4", "-q", "-F", "-m", "0", image);
        if (exitCode == 0)
            (exitCode, output) = Shell.Run("mount", "-o", "loop", image, mountPoint);
        reason = exitCode == 0 ? "" : $"no ext4 image can be made and mounted here: {output.Trim()}";
        return exitCode == 0 ? new LoopVolume(mountPoint) : null;
    }

    public void Dispose() => Shell.Run("umount", Path);
}
