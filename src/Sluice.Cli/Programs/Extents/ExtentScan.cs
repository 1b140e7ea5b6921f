using System.Text;
using Microsoft.Win32.SafeHandles;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;
using Sluice.Enumeration;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice.Cli.Programs.Extents;

/// <summary>
/// Determines the extents of every regular file below a path. Symbolic links are not followed, and only regular files are opened, even if a
/// file is replaced meanwhile. Folders are opened by path: one that is replaced by a symbolic link after it was listed is followed.
/// </summary>
internal sealed class ExtentScan(bool flushFirst, CancellationToken cancellationToken)
{
    private readonly List<string> _failures = [];
    private readonly List<FileLayout> _files = [];
    private PlatformNotSupportedException? _unsupported;
    private long _seen;

    public IReadOnlyList<FileLayout> Files => _files;

    /// <summary>The files and folders that failed, one line each.</summary>
    public IReadOnlyList<string> Failures => _failures;

    public ExtentHistogram Histogram { get; } = new();

    /// <summary>True if a signal ended the scan.</summary>
    public bool IsInterrupted { get; private set; }

    /// <summary>The extents of the last file of the scan.</summary>
    public IReadOnlyList<FileExtent> LastExtents { get; private set; } = [];

    /// <summary>The number of files found so far, for a progress display.</summary>
    public long Seen => Volatile.Read(ref _seen);

    /// <summary>Adds a file that the command line names. If it is a symbolic link, its target is added.</summary>
    /// <exception cref="IOException">The file cannot be opened or is not a regular file, or its extents cannot be read.</exception>
    /// <exception cref="PlatformNotSupportedException">The file system has no FIEMAP.</exception>
    public void AddFile(string path)
    {
        string realPath = PathArgument.Follow(path);
        Add(path, realPath, PathKinds.RequirePlain(realPath));
    }

    /// <exception cref="PlatformNotSupportedException">No file has extents, because the file system does not support FIEMAP.</exception>
    public void AddFolder(string path)
    {
        if (!CapabilityProbe.IsSupported)
            throw new PlatformNotSupportedException($"{path}: listing extents needs FIEMAP of Linux");
        // The names are bytes, because a string could not represent names that are not valid UTF-8.
        var folders = new Stack<byte[]>([PathCalls.ToKernel(path)]);
        int followed = 0;
        while (!IsInterrupted && folders.TryPop(out byte[]? folder))
        {
            int flags = followed | PathCalls.DirectoryFlag;
            Try(() => AddEntries(folder, Open(folder, flags), folders));
            followed = PathCalls.NoFollowFlag;
        }
        if (_files.Count == 0 && _unsupported is not null)
            throw _unsupported;
    }

    private void AddEntries(byte[] folder, int descriptor, Stack<byte[]> folders)
    {
        DirectoryReader reader = DirectoryReader.Of(descriptor);
        try
        {
            int read;
            while ((read = reader.Refill()) > 0)
            {
                while (reader.TryNext(out ReadOnlySpan<byte> name, out byte type))
                {
                    if (IsInterrupted = cancellationToken.IsCancellationRequested)
                        return;
                    byte[] entry = [.. folder.AsSpan()[..^1].TrimEnd((byte)'/'), (byte)'/', .. name, 0];
                    if (type == DirectoryReader.TypeUnknown
                        && reader.Stat(entry.AsSpan(^(name.Length + 1)..), StatxMask.BasicStats, out Statx stat) == 0)
                        type = (byte)(stat.Mode >> 12);
                    if (type == DirectoryReader.TypeDirectory)
                        folders.Push(entry);
                    // Only regular files are opened, because opening a pipe would wait for its other end.
                    else if (type == DirectoryReader.TypeFile)
                        Try(() => AddEntry(entry));
                }
            }
            PathErrors.ThrowIfFailed(read, "Reading", TextOf(folder));
        }
        finally
        {
            reader.Release();
        }
    }

    private void AddEntry(byte[] entry)
    {
        string path = TextOf(entry);
        var file = new SafeFileHandle(Open(entry, PathCalls.NonBlocking | PathCalls.NoFollowFlag), ownsHandle: true);
        if (Libc.TypeOf((int)file.DangerousGetHandle()) == Statx.TypeRegular)
            Add(path, path, file);
        else
            file.Dispose();
    }

    private static int Open(byte[] path, int flags)
    {
        int descriptor = PathCalls.Open(path, PathCalls.ReadOnly | flags);
        PathErrors.ThrowIfFailed(descriptor, "Opening", TextOf(path));
        return descriptor;
    }

    private static string TextOf(byte[] path) => Encoding.UTF8.GetString(path.AsSpan()[..^1]);

    private void Add(string path, string realPath, SafeFileHandle file)
    {
        using SluiceHandle handle = SluiceHandle.FromSafeFileHandle(file, realPath, FileAccess.Read, ownsHandle: true);
        if (flushFirst)
            handle.FlushToDisk();
        LastExtents = handle.GetExtents();
        foreach (FileExtent extent in LastExtents.Where(FileLayout.HasPlace))
            Histogram.Add(extent);
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
