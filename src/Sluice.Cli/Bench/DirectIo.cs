namespace Sluice.Cli.Bench;

/// <summary>Checks for direct I/O. A file without it is opened through the page cache, without an error.</summary>
internal static class DirectIo
{
    /// <summary>Returns the reason why a file cannot be opened for direct I/O; null if it can.</summary>
    public static string? Refusal(string path)
    {
        using SluiceHandle handle = SluiceHandle.Open(
            path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, FileOptions.None, preallocationSize: 0, FileCaching.Direct);
        return handle.Caching == FileCaching.Direct ? null : $"direct I/O is not to be had: {handle.CachingReason}";
    }

    /// <exception cref="RowSkippedException">Direct is asked for, and not to be had.</exception>
    public static void Require(string path, FileCaching asked)
    {
        if (asked == FileCaching.Direct && Refusal(path) is { } refusal)
            throw new RowSkippedException(refusal);
    }
}
