using System.Diagnostics.CodeAnalysis;
using Sluice.Uring;

namespace Sluice.Errors;

/// <summary>
/// Converts error numbers to exceptions: the type that .NET throws for them, with operation, path, offset and the error of the operating
/// system. <see cref="Exception.HResult"/> of an <see cref="IOException"/> is the errno, as in .NET on Unix.
/// </summary>
internal static class IoErrors
{
    /// <summary>Returns the exception for a transfer that failed with <paramref name="errno"/> (positive).</summary>
    public static Exception Create(int errno, IoVerb verb, string path, long fileOffset)
    {
        string reason = Reason(errno);
        string message = $"{Verb(verb)} '{path}'{Where(fileOffset)} failed: {reason}";
        return errno switch
        {
            Errno.EACCES or Errno.EPERM or Errno.EBADF =>
                new UnauthorizedAccessException(message, new IOException(reason, errno)),
            Errno.ENOENT => new FileNotFoundException(message, path),
            Errno.ENAMETOOLONG => new PathTooLongException(message),
            // .NET throws this exception if the caller specified the length or the offset. Appends have no such argument.
            Errno.EFBIG when verb != IoVerb.Append => new ArgumentOutOfRangeException("value", message),
            _ => new IOException(message, errno),
        };
    }

    /// <summary>Returns the exception for EFBIG of a transfer whose offset is not an argument of the caller.</summary>
    public static IOException TooLarge(IoVerb verb, string path, long fileOffset) =>
        new($"{Verb(verb)} '{path}'{Where(fileOffset)} failed: {Reason(Errno.EFBIG)}", Errno.EFBIG);

    /// <summary>
    /// Returns the exception for a transfer without the required access. The kernel reports EBADF for it, which does not name the cause.
    /// </summary>
    public static UnauthorizedAccessException NotOpenedFor(string what, IoVerb verb, string path, long fileOffset) =>
        new($"{Verb(verb)} '{path}'{Where(fileOffset)} failed: the handle was not opened for {what}.");

    /// <summary>
    /// Adds operation, path and offset to an exception of System.IO and keeps its type. Other exceptions are returned unchanged.
    /// </summary>
    public static Exception Wrap(Exception error, IoVerb verb, string path, long fileOffset)
    {
        string message = $"{Verb(verb)} '{path}'{Where(fileOffset)} failed: {error.Message}";
        return error switch
        {
            UnauthorizedAccessException => new UnauthorizedAccessException(message, error),
            IOException when error.GetType() == typeof(IOException) => new IOException(message, error) { HResult = error.HResult },
            _ => error,
        };
    }

    [DoesNotReturn]
    public static void Throw(int errno, IoVerb verb, string path, long fileOffset) =>
        throw Create(errno, verb, path, fileOffset);

    [DoesNotReturn]
    public static void ThrowNegativeOffset() =>
        throw new ArgumentOutOfRangeException("fileOffset", "A file offset must not be negative.");

    [DoesNotReturn]
    public static void ThrowClosed(string path) =>
        throw new ObjectDisposedException("SluiceHandle", $"The handle of '{path}' is closed.");

    [DoesNotReturn]
    public static void ThrowUnseekable(string verb, string path) =>
        throw new NotSupportedException($"{verb} '{path}' is not supported: the file cannot seek (a pipe, a FIFO or a terminal).");

    [DoesNotReturn]
    public static void ThrowNotSupportedHere(string what, string path, string why) =>
        throw new PlatformNotSupportedException($"{what} of '{path}' is not supported: {why}.");

    private static string Where(long fileOffset) => fileOffset >= 0 ? $" at offset {fileOffset}" : "";

    private static string Verb(IoVerb verb) => verb switch
    {
        IoVerb.Read => "Reading",
        IoVerb.ReadVector => "Reading (scatter)",
        IoVerb.Write => "Writing",
        IoVerb.WriteVector => "Writing (gather)",
        IoVerb.Append => "Appending to",
        IoVerb.Flush => "Flushing",
        IoVerb.FlushData => "Flushing the data of",
        IoVerb.Nothing => "Doing nothing with",
        IoVerb.SetLength => "Setting the length of",
        IoVerb.Allocate => "Allocating space for",
        IoVerb.PunchHole => "Punching a hole into",
        IoVerb.GetExtents => "Reading the extents of",
        _ => verb.ToString(),
    };

    private static string Reason(int errno)
    {
        string text = OperatingSystem.IsLinux()
            ? System.Runtime.InteropServices.Marshal.GetPInvokeErrorMessage(errno)
            : "error";
        return $"{text} (errno {errno})";
    }
}
