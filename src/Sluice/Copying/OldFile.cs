using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// A regular file or a symbolic link that exists at the name of a target, opened by its name in an open directory (O_PATH).
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class OldFile : IDisposable
{
    private readonly Statx _stat;
    private Descriptor _opened;

    private OldFile(Descriptor opened, in Statx stat) => (_opened, _stat) = (opened, stat);

    public ref readonly Statx Stat => ref _stat;

    public int Descriptor => _opened.Fd;

    public bool IsLink => (_stat.Mode & Statx.TypeMask) == Statx.TypeLink;

    /// <summary>Returns the file or link at the name, or null if there is none. A link is not followed.</summary>
    /// <param name="name">The name.</param>
    /// <param name="verb">The operation, for messages.</param>
    /// <exception cref="IOException">The entry is neither a regular file nor a link.</exception>
    /// <exception cref="UnauthorizedAccessException">The entry is a directory.</exception>
    public static OldFile? TryFind(in NodePath name, string verb)
    {
        int fd = PathCalls.Open(name, PathCalls.PathOnly | PathCalls.NoFollowFlag);
        if (fd == -Errno.ENOENT)
        {
            return null;
        }

        PathErrors.ThrowIfFailed(fd, verb, name.Text);
        Descriptor opened = new(fd);
        try
        {
            PathErrors.ThrowIfFailed(Libc.Stat(fd, StatxMask.BasicStats, out Statx stat), verb, name.Text);
            return (stat.Mode & Statx.TypeMask) switch
            {
                Statx.TypeRegular or Statx.TypeLink => new OldFile(opened, stat),
                Statx.TypeDirectory => throw new UnauthorizedAccessException($"{verb} '{name.Text}' failed: it is a folder."),
                _ => throw new IOException($"{verb} '{name.Text}' failed: it is not a regular file."),
            };
        }
        catch
        {
            opened.Dispose();
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

    public void Dispose()
    {
        _opened.Dispose();
        _opened = new Descriptor(-1);
    }
}
