namespace Sluice.Cli.Report;

/// <summary>File systems on which asking for direct I/O, a cold cache or preallocation may be granted and mean nothing.</summary>
internal static class MemoryFileSystem
{
    /// <summary>What such a request does there, in one line; null where it does what it says.</summary>
    public static string? Caveat(string? fileSystem) => fileSystem switch
    {
        "tmpfs" or "ramfs" => $"{fileSystem} keeps its files in memory: nothing is read from or written to a disk",
        "overlay" => "overlay passes requests on to the file system below it; if that is tmpfs, nothing reaches a disk",
        { } fuse when fuse == "fuse" || fuse.StartsWith("fuse.", StringComparison.Ordinal) =>
            $"{fuse} is a program's file system: this kernel's cache is bypassed at most, what the program caches is its own affair",
        _ => null,
    };

    /// <summary>What direct I/O does there, as a consequence; null where it goes past the page cache.</summary>
    public static string? OfDirect(string? fileSystem) => Caveat(fileSystem) is not { } caveat ? null
        : $"FileCaching.Direct is accepted and {(fileSystem is "tmpfs" or "ramfs" ? "passes" : "may pass")} nothing here: {caveat}";

    /// <summary>The same of whatever is measured there; null where it does what it says.</summary>
    public static string? Note(string? fileSystem) =>
        Caveat(fileSystem) is { } caveat ? $"cold, direct and preallocated may mean nothing here: {caveat}" : null;
}
