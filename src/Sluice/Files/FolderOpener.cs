using System.Text;
using Sluice.Kernel;
using Sluice.Uring;

namespace Sluice.Files;

/// <summary>
/// Opens files relative to their directories. Each directory is opened once and stays open until <see cref="Dispose"/>, so that the kernel
/// resolves its path only once. Not thread-safe.
/// </summary>
internal sealed class FolderOpener : IDisposable
{
    /// <summary>The maximum length of a name, in bytes, including the terminating NUL.</summary>
    public const int MaxNameBytes = 256;

    private readonly List<int> _opened = [];
    private readonly byte[] _name = new byte[MaxNameBytes];
    private string _folder = "";
    private int _fd = -1;

    /// <summary>Opens a file for reading. Returns its descriptor or a negative errno; -ENOENT also for an invalid path.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="onlyCached">True to return -EAGAIN if a name is not in the kernel's cache (<see cref="PathCalls.OpenCached"/>).</param>
    public int Open(string path, bool onlyCached)
    {
        int fd = Find(path, onlyCached, _name);
        return fd < 0 ? fd
            : onlyCached ? PathCalls.OpenCached(_name, fd, SmallFile.OpenFlags) : PathCalls.OpenAt(fd, _name, SmallFile.OpenFlags);
    }

    /// <summary>
    /// Returns the directory of a file, which stays open until <see cref="Dispose"/>, or a negative errno; -ENOENT also for an invalid
    /// path.
    /// </summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="onlyCached">True to return -EAGAIN if the name of the directory is not in the kernel's cache.</param>
    /// <param name="name">
    /// Receives the name of the file in the directory, with a terminating NUL. It has room for <see cref="MaxNameBytes"/>.
    /// </param>
    public int Find(string path, bool onlyCached, Span<byte> name)
    {
        if (path is null)
        {
            return -Errno.ENOENT;
        }

        int slash = path.LastIndexOf('/');
        ReadOnlySpan<char> text = path.AsSpan(slash + 1);
        if (text is "" or "." or ".." || text.Contains('\0') || !Encoding.UTF8.TryGetBytes(text, name[..^1], out int length))
        {
            return -Errno.ENOENT;
        }

        // The directory with its trailing slash. An empty text stands for the current directory.
        ReadOnlySpan<char> folder = path.AsSpan(0, slash + 1);
        if (_fd < 0 || !folder.SequenceEqual(_folder))
        {
            int error = OpenFolder(folder, onlyCached);
            if (error < 0)
            {
                return error;
            }
        }

        name[length] = 0;
        return _fd;
    }

    public void Dispose()
    {
        foreach (int fd in _opened)
        {
            PathCalls.Close(fd);
        }

        _opened.Clear();
        _fd = -1;
    }

    private int OpenFolder(ReadOnlySpan<char> folder, bool onlyCached)
    {
        _fd = -1;
        string text = folder.ToString();
        if (SmallFile.ToKernelPath(folder.IsEmpty ? "." : text) is not { } path)
        {
            return -Errno.ENOENT;
        }

        // Allocates before the directory is opened, so that an OutOfMemoryException does not leak the descriptor.
        _opened.EnsureCapacity(_opened.Count + 1);

        const int flags = PathCalls.ReadOnly | PathCalls.PathOnly;
        int fd = onlyCached
            ? PathCalls.OpenCached(path, flags: flags | PathCalls.DirectoryFlag)
            : PathCalls.Open(path, flags | PathCalls.DirectoryFlag);
        if (fd < 0)
        {
            return fd;
        }

        _opened.Add(fd);
        _folder = text;
        _fd = fd;
        return 0;
    }
}
