using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;

namespace Sluice.Diagnostics;

/// <summary>
/// An open directory, for operations that .NET does not have: benchmarks flush the directory or its file system, or keep an unmounted file
/// system alive. Requires <see cref="CapabilityProbe.IsSupported"/>.
/// </summary>
internal sealed class OpenFolder : IDisposable
{
    private readonly string _path;
    private readonly SafeFileHandle _handle;

    private OpenFolder(string path, int fd) => (_path, _handle) = (path, new SafeFileHandle(fd, ownsHandle: true));

    public int Descriptor => (int)_handle.DangerousGetHandle();

    /// <exception cref="IOException">The directory does not exist or cannot be opened.</exception>
    /// <exception cref="UnauthorizedAccessException">The directory cannot be read.</exception>
    public static OpenFolder Open(string path)
    {
        int fd = PathCalls.Open(PathCalls.ToKernel(path), PathCalls.ReadOnly | PathCalls.DirectoryFlag);
        PathErrors.ThrowIfFailed(fd, "Opening the folder", path);
        return new OpenFolder(path, fd);
    }

    /// <summary>Flushes the names in the directory (fsync(2)). Not every file system supports this.</summary>
    /// <exception cref="IOException">The device reported an error.</exception>
    public void FlushToDisk()
    {
        int result = Libc.Flush(Descriptor);
        PathErrors.ThrowIfFailed(result is -Errno.EINVAL or -Errno.EOPNOTSUPP ? 0 : result, "Writing to the disk", _path);
    }

    /// <summary>Flushes the whole file system (syncfs(2)). Errors are ignored, because they may concern other files.</summary>
    public void FlushFileSystem() => _ = CopyCalls.FlushFileSystem(Descriptor);

    public void Dispose() => _handle.Dispose();
}
