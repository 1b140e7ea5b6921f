namespace Sluice.Cli.Report;

/// <summary>File systems that may accept direct I/O, a cold cache or preallocation without effect.</summary>
internal static class MemoryFileSystem
{
    /// <summary>Describes the effect of such a request in one line; null if it has the usual effect.</summary>
    public static string? Caveat(string? fileSystem) => fileSystem switch
    {
        "tmpfs" or "ramfs" => $"{fileSystem} keeps its files in memory: nothing is read from or written to a disk",
        "overlay" => "overlay passes requests on to the file system below it; if that is tmpfs, nothing reaches a disk",
        { } fuse when fuse == "fuse" || fuse.StartsWith("fuse.", StringComparison.Ordinal) =>
            $"{fuse} is a program's file system: this kernel's cache is bypassed at most, what the program caches is its own affair",
        _ => null,
    };

    /// <summary>Describes the effect of direct I/O; null if it bypasses the page cache.</summary>
    public static string? OfDirect(string? fileSystem) => Caveat(fileSystem) is not { } caveat ? null
        : $"FileCaching.Direct is accepted and {(fileSystem is "tmpfs" or "ramfs" ? "passes" : "may pass")} nothing here: {caveat}";

    /// <summary>A note for measurements on this file system; null if requests have the usual effect.</summary>
    public static string? Note(string? fileSystem) =>
        Caveat(fileSystem) is { } caveat ? $"cold, direct and preallocated may mean nothing here: {caveat}" : null;
}
