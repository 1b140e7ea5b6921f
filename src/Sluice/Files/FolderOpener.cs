using System.Text;
using Sluice.Kernel;
using Sluice.Uring;

namespace Sluice.Files;

/// <summary>
/// Names files by their folders, which are kept open as long as this is, so that the kernel walks the path to each of them once. Not
/// thread-safe.
/// </summary>
internal sealed class FolderOpener : IDisposable
{
    /// <summary>The longest name, in bytes, with the NUL that ends it.</summary>
    public const int MaxNameBytes = 256;

    private readonly List<int> _opened = [];
    private readonly byte[] _name = new byte[MaxNameBytes];
    private string _folder = "";
    private int _fd = -1;

    /// <summary>Opens a file for reading: its descriptor, or a negative errno; -ENOENT for what is no path too.</summary>
    /// <param name="path">The file.</param>
    /// <param name="onlyCached">Whether -EAGAIN is wanted where a name must be asked of the disk
    /// (<see cref="PathCalls.OpenCached"/>).</param>
    public int Open(string path, bool onlyCached)
    {
        int fd = Find(path, onlyCached, _name);
        return fd < 0 ? fd
            : onlyCached ? PathCalls.OpenCached(_name, fd, SmallFile.OpenFlags) : PathCalls.OpenAt(fd, _name, SmallFile.OpenFlags);
    }

    /// <summary>
    /// A file's folder, which stays open until <see cref="Dispose"/>, or a negative errno; -ENOENT for what is no path too.
    /// </summary>
    /// <param name="path">The file.</param>
    /// <param name="onlyCached">Whether -EAGAIN is wanted where the folder's name must be asked of the disk.</param>
    /// <param name="name">Takes its name in the folder, ended by a NUL; of <see cref="MaxNameBytes"/>.</param>
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

        // The folder's text, its slash included; none of it stands for the current folder.
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

        // Whatever needs memory comes before the folder is open.
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
