using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>A plain file that is to be replaced, found by its name in an open folder and held (O_PATH).</summary>
[SupportedOSPlatform("linux")]
internal sealed class OldFile : IDisposable
{
    private readonly Descriptor _opened;
    private readonly Statx _stat;

    private OldFile(Descriptor opened, in Statx stat) => (_opened, _stat) = (opened, stat);

    public ref readonly Statx Stat => ref _stat;

    public int Descriptor => _opened.Fd;

    /// <summary>What has the name; null where nothing has it, or a link, which is only a name.</summary>
    /// <param name="name">The name.</param>
    /// <param name="verb">What fails, for the message.</param>
    /// <param name="isLink">A link has it.</param>
    /// <exception cref="IOException">It is no plain file.</exception>
    /// <exception cref="UnauthorizedAccessException">It is a folder.</exception>
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
                    throw new IOException($"{verb} '{name.Text}' failed: it is no plain file.");
            }
        }
        catch
        {
            old.Dispose();
            throw;
        }
    }

    /// <summary>As .NET, which opens what it overwrites: a file that may not be written (mode 0444) is not replaced either.</summary>
    /// <exception cref="UnauthorizedAccessException">It may not be written.</exception>
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
