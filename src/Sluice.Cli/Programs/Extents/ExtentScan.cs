using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Programs.Extents;

/// <summary>
/// Asks every plain file below a path where it lies. Links are not followed, nothing but plain files is opened, whatever is put in a file's
/// place meanwhile; a folder of which somebody makes a link after it was listed is not guarded against.
/// </summary>
internal sealed class ExtentScan(bool flushFirst, CancellationToken cancellationToken)
{
    private readonly List<string> _failures = [];
    private readonly List<FileLayout> _files = [];
    private readonly List<MapSpan> _places = [];
    private PlatformNotSupportedException? _unsupported;
    private long _seen;

    public IReadOnlyList<FileLayout> Files => _files;

    /// <summary>One line for each file or folder that could not be asked.</summary>
    public IReadOnlyList<string> Failures => _failures;

    public ExtentHistogram Histogram { get; } = new();

    /// <summary>Whether a signal ended it: what comes behind was not asked.</summary>
    public bool IsInterrupted { get; private set; }

    /// <summary>The extents of the file asked last.</summary>
    public IReadOnlyList<FileExtent> LastExtents { get; private set; } = [];

    /// <summary>Every extent that has a place, of all files, in the order in which they were asked.</summary>
    public IReadOnlyList<MapSpan> Places => _places;

    /// <summary>Files seen so far; read by a progress display.</summary>
    public long Seen => Volatile.Read(ref _seen);

    /// <summary>A file that is named: a link stands for what it leads to.</summary>
    /// <exception cref="IOException">It cannot be opened, or is no plain file, or its extents cannot be read.</exception>
    /// <exception cref="PlatformNotSupportedException">The file system has no FIEMAP.</exception>
    public void AddFile(string path) => Add(path, LinkedFile.Follow(path));

    /// <exception cref="PlatformNotSupportedException">No file at all could be asked, because the file system has no FIEMAP.</exception>
    public void AddFolder(string path)
    {
        var folders = new Stack<string>([path]);
        while (!IsInterrupted && folders.TryPop(out string? folder))
        {
            string current = folder;
            Try(() =>
            {
                foreach (FileSystemInfo entry in new DirectoryInfo(current).EnumerateFileSystemInfos())
                {
                    if (IsInterrupted = cancellationToken.IsCancellationRequested)
                        return;
                    if (entry.LinkTarget is not null)
                        continue;
                    // .NET puts a sign in the place of bytes that are no text: nobody has that name.
                    if (entry.Name.Contains('\uFFFD', StringComparison.Ordinal) && !Path.Exists(entry.FullName))
                        _failures.Add($"{entry.FullName}: not looked at, its name is not valid UTF-8");
                    else if (entry is DirectoryInfo)
                        folders.Push(entry.FullName);
                    // Opening a pipe would wait for its other end.
                    else if (PathKinds.Of(entry.FullName) is PathKind.RegularFile or PathKind.Unknown)
                        Try(() => Add(entry.FullName, entry.FullName));
                }
            });
        }
        if (_files.Count == 0 && _unsupported is not null)
            throw _unsupported;
    }

    private void Add(string path, string realPath)
    {
        using SluiceHandle handle = SluiceHandle.FromSafeFileHandle(
            PathKinds.RequirePlain(realPath), realPath, FileAccess.Read, ownsHandle: true);
        if (flushFirst)
            handle.FlushToDisk();
        LastExtents = handle.GetExtents();
        foreach (FileExtent extent in LastExtents)
        {
            if (!FileLayout.HasPlace(extent))
                continue;
            Histogram.Add(extent);
            _places.Add(new MapSpan(extent.Offset, extent.PhysicalOffset, extent.Length));
        }
        _files.Add(FileLayout.Of(path, handle.Length, LastExtents));
        Interlocked.Increment(ref _seen);
    }

    private void Try(Action action)
    {
        try
        {
            action();
        }
        catch (PlatformNotSupportedException e)
        {
            _unsupported ??= e;
            _failures.Add(ErrorText.Of(e));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            _failures.Add(ErrorText.Of(e));
        }
    }
}
