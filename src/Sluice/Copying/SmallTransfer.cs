using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>Copies a small file into a new one: a read and a write.</summary>
[SupportedOSPlatform("linux")]
internal static class SmallTransfer
{
    /// <summary>The longest file that is copied so.</summary>
#if DEBUG
    public const int MaxBytes = 8 * 1024;
#else
    public const int MaxBytes = 256 * 1024;
#endif

    /// <summary>This thread's alone: one small file after another goes through it, and none is in it between two.</summary>
    [ThreadStatic]
    private static byte[]? t_buffer;

    /// <summary>The bytes that there were: a file of /sys has fewer than it says, and a log may be cut meanwhile.</summary>
    public static int Run(int fromFd, int toFd, int length, in NodePath from, in NodePath to)
    {
        Span<byte> buffer = (t_buffer ??= new byte[MaxBytes]).AsSpan(0, length);
        int read = 0;
        while (read < length)
        {
            int bytes = TransferCalls.Read(fromFd, buffer[read..], read, RwFlags.None);
            PathErrors.ThrowIfFailed(Math.Min(bytes, 0), "Reading the source", from.Text);
            if (bytes == 0)
            {
                break;
            }

            read += bytes;
        }

        for (int done = 0; done < read;)
        {
            int written = TransferCalls.Write(toFd, buffer[done..read], done, RwFlags.None);
            ThrowIfNotWritten(written == 0 ? -Errno.EIO : written, from, to);
            done += written;
        }

        return read;
    }

    /// <summary>Throws what a negative errno means.</summary>
    public static void ThrowIfNotWritten(int result, in NodePath from, in NodePath to)
    {
        if (result < 0)
        {
            throw PathErrors.Create(result, $"Copying '{from.Text}' to", to.Text);
        }
    }
}
