namespace Sluice.Cli.Tests.Support;

/// <summary>A tmpfs of a few megabytes; mounting needs root.</summary>
internal sealed class SmallDisk : IDisposable
{
    private SmallDisk(string path) => Path = path;

    public string Path { get; }

    public static SmallDisk? TryMount(string path, string size, out string reason)
    {
        Directory.CreateDirectory(path);
        (int exitCode, string output) = Shell.Run("mount", "-t", "tmpfs", "-o", $"size={size}", "tmpfs", path);
        reason = exitCode == 0 ? "" : $"no tmpfs can be mounted here: {output.Trim()}";
        return exitCode == 0 ? new SmallDisk(path) : null;
    }

    public void Dispose() => Shell.Run("umount", Path);
}
