using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;

namespace Sluice.Diagnostics;

/// <summary>
/// A folder held open, for which .NET has no call: benchmarks flush it or its whole file system, or keep a file system alive that is
/// unmounted already. Opened only where <see cref="CapabilityProbe.IsSupported"/>.
/// </summary>
internal sealed class OpenFolder : IDisposable
{
    private readonly string _path;
    private readonly SafeFileHandle _handle;

    private OpenFolder(string path, int fd) => (_path, _handle) = (path, new SafeFileHandle(fd, ownsHandle: true));

    public int Descriptor => (int)_handle.DangerousGetHandle();

    /// <exception cref="IOException">The folder is not there or cannot be opened.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read.</exception>
    public static OpenFolder Open(string path)
    {
        int fd = PathCalls.Open(PathCalls.ToKernel(path), PathCalls.ReadOnly | PathCalls.DirectoryFlag);
        PathErrors.ThrowIfFailed(fd, "Opening the folder", path);
        return new OpenFolder(path, fd);
    }

    /// <summary>fsync(2): the names in it. Not every file system has that for folders.</summary>
    /// <exception cref="IOException">The device failed.</exception>
    public void FlushToDisk()
    {
        int result = Libc.Flush(Descriptor);
        PathErrors.ThrowIfFailed(result is -Errno.EINVAL or -Errno.EOPNOTSUPP ? 0 : result, "Writing to the disk", _path);
    }

    /// <summary>syncfs(2): everything of the file system that the folder is on; an error there is some other file's.</summary>
    public void FlushFileSystem() => _ = CopyCalls.FlushFileSystem(Descriptor);

    public void Dispose() => _handle.Dispose();
}
