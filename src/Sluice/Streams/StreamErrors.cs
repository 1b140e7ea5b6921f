using System.Diagnostics.CodeAnalysis;

namespace Sluice.Streams;

/// <summary>The exceptions of a stream, of the types that FileStream throws.</summary>
internal static class StreamErrors
{
    [DoesNotReturn]
    public static void ThrowClosed() => throw Closed();

    public static ObjectDisposedException Closed() => new(null, "Cannot access a closed file.");

    [DoesNotReturn]
    public static void ThrowUnseekable() => throw new NotSupportedException("Stream does not support seeking.");

    [DoesNotReturn]
    public static void ThrowUnreadable() => throw new NotSupportedException("Stream does not support reading.");

    [DoesNotReturn]
    public static void ThrowUnwritable() => throw new NotSupportedException("Stream does not support writing.");

    [DoesNotReturn]
    public static void ThrowUnreadBytes() =>
        throw new NotSupportedException("Cannot write: the buffer contains bytes that were read from a file that cannot seek.");

    [DoesNotReturn]
    public static void ThrowSeekBeforeStart(string path, long target) =>
        throw new IOException(
            $"Seeking in '{path}' to {target} failed: the position would be before the start of the file.", Uring.Errno.EINVAL);

    [DoesNotReturn]
    public static void ThrowSeekRefused(string path, long target) =>
        throw new IOException($"Seeking in '{path}' to {target} failed: the file system does not support this offset.", Uring.Errno.EINVAL);

    [DoesNotReturn]
    public static void ThrowSeekBeforeAppend(string path, long target, long appendStart) => throw new IOException(
        $"Seeking in '{path}' to {target} failed: it was opened for appending at {appendStart}, "
        + "and earlier bytes cannot be overwritten.");

    [DoesNotReturn]
    public static void ThrowTruncateBeforeAppend(string path, long length, long appendStart) => throw new IOException(
        $"Truncating '{path}' to {length} failed: it was opened for appending at {appendStart}, and earlier bytes cannot be removed.");
}
