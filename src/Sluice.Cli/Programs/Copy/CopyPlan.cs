using Sluice.Cli.Report;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Programs.Copy;

/// <summary>Implements --dry-run: lists what a copy would do. It examines names, lengths and times, and opens only folders.</summary>
internal sealed class CopyPlan(
    TerminalStreams terminal, ExcludePatterns excluded, bool mayReplace, bool skipsUnchanged, bool quiet)
{
    private long _files;
    private long _bytes;
    private long _unchanged;
    private long _unseen;

    /// <summary>Gets the length of all files that would be copied, in bytes.</summary>
    public long Bytes => _bytes;

    /// <summary>The number of entries that the copy would fail to create, without consent or because they cannot be read.</summary>
    public int Failed { get; private set; }

    public void Add(string source, string target, bool recursive, CancellationToken cancellationToken)
    {
        if (PathKinds.AreSame(source, target))
            throw new IOException($"{source} and {target} are the same");
        RequireSource(source, recursive);
        if (new DirectoryInfo(source) is { Exists: true, LinkTarget: null } folder)
        {
            for (string? above = Path.GetFullPath(target); above is not null; above = Path.GetDirectoryName(above))
            {
                if (PathKinds.AreSame(source, above))
                    throw new IOException($"{target} is inside {source}");
            }
            if (File.Exists(target))
                throw new IOException($"{target} is a file, and {source} a folder");
            AddTree(folder, WithoutDot(source), WithoutDot(target), cancellationToken);
            return;
        }
        // In a tree, a symbolic link is copied as a link; otherwise its target is copied.
        var file = new FileInfo(recursive ? source : PathArgument.Follow(source));
        if (PathKinds.Of(source) is PathKind.Other or PathKind.BlockDevice && file.LinkTarget is null)
            throw new IOException($"{source} is not a regular file");
        AddFile(file, source, target, file.LinkTarget is null ? file.Length : 0, isNamed: true);
    }

    public string Total =>
        $"dry run, nothing was copied: {Counted.Of(_files, "file")}, {ByteSize.Format(_bytes)}"
        + (_unchanged > 0 ? $"; {_unchanged:#,0} unchanged" : "")
        + (_unseen > 0 ? $"; {_unseen:#,0} not looked at: their names are not valid UTF-8" : "")
        + (Failed > 0 ? $"; {Failed:#,0} would fail" : "");

    /// <summary>Returns the folder of a path "folder/." and other paths unchanged, so that names of entries can be appended.</summary>
    private static string WithoutDot(string path) =>
        Path.TrimEndingDirectorySeparator(path) is var trimmed && trimmed.EndsWith("/.", StringComparison.Ordinal) ? trimmed[..^1] : path;

    private void AddTree(DirectoryInfo root, string source, string target, CancellationToken cancellationToken)
    {
        var due = new Stack<(DirectoryInfo Folder, string Relative)>([(root, "")]);
        while (due.TryPop(out (DirectoryInfo Folder, string Relative) next))
        {
            cancellationToken.ThrowIfCancellationRequested();
            try
            {
                foreach (FileSystemInfo entry in next.Folder.EnumerateFileSystemInfos().OrderBy(e => e.Name, StringComparer.Ordinal))
                {
                    string relative = next.Relative.Length == 0 ? entry.Name : $"{next.Relative}/{entry.Name}";
                    if (excluded.Excludes(relative))
                        continue;
                    // .NET has replaced bytes that are not valid UTF-8, so the name refers to another file or to none.
                    if (entry.Name.Contains('\uFFFD', StringComparison.Ordinal))
                    {
                        _unseen++;
                        Say("not looked at", Path.Join(source, relative), Path.Join(target, relative));
                    }
                    else if (entry is DirectoryInfo folder && entry.LinkTarget is null)
                    {
                        string there = Path.Join(target, relative);
                        if (new FileInfo(there).LinkTarget is not null)
                            Fail("link is there", Path.Join(source, relative), there);
                        else if (File.Exists(there))
                            Fail("file is there", Path.Join(source, relative), there);
                        else
                            due.Push((folder, relative));
                    }
                    else
                    {
                        long length = entry is FileInfo { LinkTarget: null } file ? file.Length : 0;
                        AddFile(entry, Path.Join(source, relative), Path.Join(target, relative), length, isNamed: false);
                    }
                }
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                Failed++;
                terminal.WriteError(ErrorText.Of(e));
            }
        }
    }

    /// <summary>Checks that the source exists. A symbolic link exists, whatever its target.</summary>
    /// <exception cref="FileNotFoundException">The source does not exist.</exception>
    /// <exception cref="UnauthorizedAccessException">The user may not search the folder of the source.</exception>
    /// <exception cref="IOException">The source is a folder, and <paramref name="recursive"/> is false.</exception>
    public static void RequireSource(string source, bool recursive)
    {
        if (!recursive && Directory.Exists(source))
            throw new IOException($"{source} is a folder; -r copies it with all that is in it");
        try
        {
            _ = File.GetAttributes(source);
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            throw new FileNotFoundException($"{source}: no such file", e);
        }
    }

    /// <summary>
    /// Returns true if a copy can replace the existing target, after symbolic links: a regular file cannot replace a pipe, a socket or a
    /// device; a copied link, pipe or device can.
    /// </summary>
    public static bool IsReplaceable(string source, bool isLink, string target) =>
        isLink || PathKinds.Of(source) != PathKind.RegularFile || PathKinds.Of(target) is not (PathKind.Other or PathKind.BlockDevice);

    /// <param name="isNamed">
    /// True for a target on the command line: a link there is followed. In a tree, the link itself is replaced.
    /// </param>
    private void AddFile(FileSystemInfo source, string sourcePath, string target, long length, bool isNamed)
    {
        var there = new FileInfo(target);
        bool exists = there.Exists || there.LinkTarget is not null;
        if (exists && (isNamed || there.LinkTarget is null)
            && !IsReplaceable(sourcePath, isLink: source.LinkTarget is not null, target))
        {
            Fail("not a regular file", sourcePath, target);
            return;
        }
        if (skipsUnchanged && IsUnchanged(source, there, length))
        {
            _unchanged++;
            Say("unchanged", sourcePath, target);
            return;
        }
        if (!exists && Directory.Exists(target))
        {
            Fail("folder there", sourcePath, target);
            return;
        }
        if (exists && !mayReplace)
        {
            Fail("needs --force", sourcePath, target);
            return;
        }
        _files++;
        _bytes += length;
        Say(exists ? "replace" : "copy", sourcePath, target);
    }

    /// <summary>
    /// Compares the files as the copy does: links by their targets, files by length and time. A link never equals a file.
    /// </summary>
    private static bool IsUnchanged(FileSystemInfo source, FileInfo there, long length) => source.LinkTarget is { } text
        ? there.LinkTarget == text
        : there is { Exists: true, LinkTarget: null } && there.Length == length && there.LastWriteTimeUtc == source.LastWriteTimeUtc;

    private void Fail(string why, string source, string target)
    {
        Failed++;
        Say(why, source, target, isFailure: true);
    }

    private void Say(string verb, string source, string target, bool isFailure = false)
    {
        if (!quiet || isFailure)
            terminal.WriteLine($"{verb,-13} {source} -> {target}", hang: 2);
    }
}
