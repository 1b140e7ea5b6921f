using System.Text;
using Sluice.Uring;

namespace Sluice.Interop;

/// <summary>
/// Opens files by their names in a folder that is kept open as long as the next file is in it too, so that the kernel walks the path to
/// it once. Not thread-safe.
/// </summary>
internal sealed class FolderOpener : IDisposable
{
    private const int MostNameBytes = 255;

    private readonly byte[] _name = new byte[MostNameBytes + 1];
    private string _folder = "";
    private int _fd = -1;

    /// <summary>Opens a file for reading: its descriptor, or a negative errno; -ENOENT for what is no path too.</summary>
    /// <param name="path">The file.</param>
    /// <param name="onlyCached">Whether -EAGAIN is wanted where a name must be asked of the disk (see <see cref="PathCalls.OpenCached"/>).</param>
    public int Open(string path, bool onlyCached)
    {
        if (path is null)
        {
            return -Errno.ENOENT;
        }

        int slash = path.LastIndexOf('/');
        ReadOnlySpan<char> name = path.AsSpan(slash + 1);
        if (name is "" or "." or ".." || name.Contains('\0') || Encoding.UTF8.GetMaxByteCount(name.Length) > MostNameBytes && Encoding.UTF8.GetByteCount(name) > MostNameBytes)
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

        int length = Encoding.UTF8.GetBytes(name, _name);
        _name[length] = 0;
        return onlyCached ? PathCalls.OpenCached(_name, _fd) : PathCalls.OpenAt(_fd, _name, PathCalls.ReadOnly);
    }

    public void Dispose()
    {
        if (_fd >= 0)
        {
            PathCalls.Close(_fd);
            _fd = -1;
        }
    }

    private int OpenFolder(ReadOnlySpan<char> folder, bool onlyCached)
    {
        Dispose();
        if (folder.Contains('\0'))
        {
            return -Errno.ENOENT;
        }

        byte[] path = PathCalls.ToKernel(Path.GetFullPath(folder.IsEmpty ? "." : folder.ToString()));
        const int flags = PathCalls.ReadOnly | PathCalls.PathOnly;
        int fd = onlyCached
            ? PathCalls.OpenCached(path, flags: flags | PathCalls.DirectoryFlag)
            : PathCalls.Open(path, flags | PathCalls.DirectoryFlag);
        if (fd < 0)
        {
            return fd;
        }

        _folder = folder.ToString();
        _fd = fd;
        return 0;
    }
}
