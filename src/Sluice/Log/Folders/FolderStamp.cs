namespace Sluice.Log.Folders;

/// <summary>The time of a directory's last change, by which a reader knows that a list of its files is still true.</summary>
internal readonly record struct FolderStamp
{
    /// <summary>Changes within one tick of the file system's clock have the same time.</summary>
    private static readonly TimeSpan s_resolution = TimeSpan.FromSeconds(1);

    private readonly DateTime _changed;
    private readonly bool _isSettled;

    private FolderStamp(DateTime changed, bool isSettled) => (_changed, _isSettled) = (changed, isSettled);

    /// <summary>To be taken before the directory is listed.</summary>
    public static FolderStamp Of(string path)
    {
        if (!OperatingSystem.IsLinux())
        {
            return default;
        }

        DateTime changed = Directory.GetLastWriteTimeUtc(path);
        return new FolderStamp(changed, DateTime.UtcNow - changed > s_resolution);
    }

    /// <summary>Returns true if the directory has certainly not changed since the stamp was taken.</summary>
    public bool IsCurrent(string path) => _isSettled && Directory.GetLastWriteTimeUtc(path) == _changed;
}
