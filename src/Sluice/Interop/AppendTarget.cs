using Microsoft.Win32.SafeHandles;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Interop;

/// <summary>
/// The end of one open file. pwritev2 with RWF_APPEND finds it and writes there in one step; where a sandbox hides that call, writev on a
/// second descriptor of the same file that was opened with O_APPEND does, with the same promise. (O_APPEND on the first one would turn
/// every pwrite of other threads into an append.) One thread at a time writes; disposing may come from any.
/// </summary>
internal sealed unsafe class AppendTarget(int fd) : IDisposable
{
    private readonly Lock _lock = new();
    private SafeFileHandle? _appending;
    private bool _disposed;

    /// <summary>Bytes that stand at the end of the file now, and where they begin; or a negative errno.</summary>
    public int Write(Iovec* segments, int count, out long landed)
    {
        if (_appending is null)
        {
            int written = Libc.WriteV(fd, segments, count, -1, RwFlags.Append);
            if (written != -Errno.EOPNOTSUPP)
            {
                landed = Landed(fd, written);
                return written;
            }

            int result = OpenSecond();
            if (result < 0)
            {
                landed = 0;
                return result;
            }
        }

        bool added = false;
        try
        {
            _appending!.DangerousAddRef(ref added);
            int second = (int)_appending.DangerousGetHandle();
            int written = Libc.WriteV(second, segments, count, -1, RwFlags.None);
            landed = Landed(second, written);
            return written;
        }
        catch (ObjectDisposedException)
        {
            landed = 0;
            return -Errno.EBADF;
        }
        finally
        {
            if (added)
            {
                _appending!.DangerousRelease();
            }
        }
    }

    public void Dispose()
    {
        lock (_lock)
        {
            _disposed = true;
            _appending?.Dispose();
        }
    }

    /// <summary>The call left the descriptor's position behind what it wrote; nobody else moves it meanwhile.</summary>
    private static long Landed(int descriptor, int written) => written > 0 ? Libc.Position(descriptor) - written : 0;

    private int OpenSecond()
    {
        lock (_lock)
        {
            if (_disposed)
            {
                return -Errno.EBADF;
            }

            int second = Libc.OpenForAppending(fd);
            if (second >= 0)
            {
                _appending = new SafeFileHandle(second, ownsHandle: true);
            }

            return second;
        }
    }
}
