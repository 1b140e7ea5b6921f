namespace Sluice.Cli.Tests.Support;

/// <summary>
/// A folder that cannot be removed before this is disposed: for root one that something is mounted on, for others one that may not be read.
/// </summary>
internal sealed class StuckFolder : IDisposable
{
    private readonly TestVolume? _mounted;
    private readonly string _path;

    private StuckFolder(TestVolume? mounted, string path) => (_mounted, _path) = (mounted, path);

    /// <summary>Skips the test where root may mount nothing.</summary>
    public static StuckFolder Make(string path)
    {
        if (Environment.IsPrivilegedProcess)
            return new StuckFolder(TestVolume.MountMemory(path, "1m"), path);
        Directory.CreateDirectory(Path.Combine(path, "below"));
        Shell.Run("chmod", "000", path);
        return new StuckFolder(null, path);
    }

    public void Dispose()
    {
        _mounted?.Dispose();
        if (_mounted is null)
            Shell.Run("chmod", "700", _path);
    }
}
