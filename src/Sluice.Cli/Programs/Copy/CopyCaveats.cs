using Sluice.Cli.Report;

namespace Sluice.Cli.Programs.Copy;

/// <summary>Notes for file systems on which direct I/O or a flush has no effect.</summary>
/// <param name="target">Where the copies go, or the folder that they lie in.</param>
/// <param name="isOnDisk">Whether copies end only when they are on the disk.</param>
internal sealed class CopyCaveats(string target, bool isOnDisk)
{
    private readonly Lazy<string?> _ofTarget = new(() => Of(target));

    /// <summary>Returns the record with a note if there is one.</summary>
    public CopyRecord Noted(CopyRecord copy)
    {
        string? direct = copy.Method == "direct" && copy.Bytes > 0
            ? (Path.Exists(copy.Source) ? Of(copy.Source) : null) ?? _ofTarget.Value
            : null;
        string? disk = isOnDisk && !copy.Interrupted && copy.Files > 0 ? _ofTarget.Value : null;
        string[] notes = direct is not null && direct == disk ? [$"past the page cache, on the disk: {direct}"]
            : [.. Named("past the page cache", direct), .. Named("on the disk", disk)];
        return notes.Length == 0 ? copy : copy with { Note = string.Join("; ", notes) };
    }

    private static IEnumerable<string> Named(string words, string? caveat) => caveat is null ? [] : [$"{words}: {caveat}"];

    private static string? Of(string path) => MemoryFileSystem.Caveat(EnvironmentProbe.FileSystemOf(path));
}
