namespace Sluice.Cli.Bench;

/// <summary>Checks whether a file supports direct I/O. Without it, opening a file for direct I/O opens it through the page cache.</summary>
internal static class DirectIo
{
    /// <summary>Returns the reason why a file cannot be opened for direct I/O; null if it can.</summary>
    public static string? Refusal(string path)
    {
        using SluiceHandle handle = SluiceHandle.Open(
            path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, FileOptions.None, preallocationSize: 0, FileCaching.Direct);
        return handle.Caching == FileCaching.Direct ? null : $"direct I/O is not to be had: {handle.CachingReason}";
    }

    /// <exception cref="RowSkippedException">Direct I/O is requested, and the file does not support it.</exception>
    public static void Require(string path, FileCaching asked)
    {
        if (asked == FileCaching.Direct && Refusal(path) is { } refusal)
            throw new RowSkippedException(refusal);
    }
}
