namespace Sluice.Cli.Report;

/// <summary>Describes file systems on which direct I/O, a cold cache or preallocation may have no effect.</summary>
internal static class MemoryFileSystem
{
    /// <summary>Describes the effect of such requests in one line; returns null if they have their usual effect.</summary>
    public static string? Caveat(string? fileSystem) => fileSystem switch
    {
        "tmpfs" or "ramfs" => $"{fileSystem} keeps its files in memory: nothing is read from or written to a disk",
        "overlay" => "overlay passes requests on to the file system below it; if that is tmpfs, nothing reaches a disk",
        { } fuse when fuse == "fuse" || fuse.StartsWith("fuse.", StringComparison.Ordinal) =>
            $"{fuse} is a program's file system: this kernel's cache is bypassed at most, what the program caches is its own affair",
        _ => null,
    };

    /// <summary>Describes the effect of direct I/O; returns null if it bypasses the page cache.</summary>
    public static string? OfDirect(string? fileSystem) => Caveat(fileSystem) is not { } caveat ? null
        : $"FileCaching.Direct is accepted and {(fileSystem is "tmpfs" or "ramfs" ? "passes" : "may pass")} nothing here: {caveat}";

    /// <summary>
    /// Returns a note that cold, direct and preallocated runs may mean nothing on this file system; null if they have their usual effect.
    /// </summary>
    public static string? Note(string? fileSystem) =>
        Caveat(fileSystem) is { } caveat ? $"cold, direct and preallocated may mean nothing here: {caveat}" : null;
}
