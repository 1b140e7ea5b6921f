using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>A regular file that is to be replaced, opened by its name in an open directory (O_PATH).</summary>
[SupportedOSPlatform("linux")]
internal sealed class OldFile : IDisposable
{
    private readonly Descriptor _opened;
    private readonly Statx _stat;

    private OldFile(Descriptor opened, in Statx stat) => (_opened, _stat) = (opened, stat);

    public ref readonly Statx Stat => ref _stat;

    public int Descriptor => _opened.Fd;

    /// <summary>
    /// Returns the file at the name, or null if there is none or the name is a symbolic link, which has no content to preserve.
    /// </summary>
    /// <param name="name">The name.</param>
    /// <param name="verb">The operation, for messages.</param>
    /// <param name="isLink">True if the name is a symbolic link.</param>
    /// <exception cref="IOException">The entry is not a regular file.</exception>
    /// <exception cref="UnauthorizedAccessException">The entry is a directory.</exception>
    public static OldFile? TryFind(in NodePath name, string verb, out bool isLink)
    {
        isLink = false;
        int fd = PathCalls.Open(name, PathCalls.PathOnly | PathCalls.NoFollowFlag);
        if (fd == -Errno.ENOENT)
        {
            return null;
        }

        PathErrors.ThrowIfFailed(fd, verb, name.Text);
        OldFile old = new(new Descriptor(fd), default);
        try
        {
            PathErrors.ThrowIfFailed(Libc.Stat(fd, StatxMask.BasicStats, out Statx stat), verb, name.Text);
            switch (stat.Mode & Statx.TypeMask)
            {
                case Statx.TypeRegular:
                    return new OldFile(old._opened, stat);
                case Statx.TypeLink:
                    isLink = true;
                    old.Dispose();
                    return null;
                case Statx.TypeDirectory:
                    throw new UnauthorizedAccessException($"{verb} '{name.Text}' failed: it is a folder.");
                default:
                    throw new IOException($"{verb} '{name.Text}' failed: it is not a regular file.");
            }
        }
        catch
        {
            old.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Throws an exception if the file is not writable. As in .NET, which opens the file that it overwrites, a read-only file (mode 0444)
    /// is not replaced.
    /// </summary>
    /// <exception cref="UnauthorizedAccessException">The file is not writable.</exception>
    public static void ThrowIfReadOnly(in NodePath name, string verb)
    {
        int result = NodeCalls.MayWrite(name);
        if (result is -Errno.ENOSYS or -Errno.EPERM or -Errno.EINVAL)
        {
            int fd = PathCalls.Open(name, PathCalls.WriteOnly | PathCalls.NonBlocking | PathCalls.NoFollowFlag);
            result = fd is -Errno.ETXTBSY ? 0 : Math.Min(fd, 0);
            new Descriptor(fd).Dispose();
        }

        PathErrors.ThrowIfFailed(result, verb, name.Text);
    }

    public void Dispose() => _opened.Dispose();
}
