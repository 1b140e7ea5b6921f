using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;

namespace Sluice.Classic;

/// <summary>
/// Throws the exceptions of <see cref="WinFileIO"/>. Their messages contain the operation, the file and the error of the operating system.
/// </summary>
internal static class WinFileIOErrors
{
    // ERROR_FILE_NOT_FOUND on Windows, ENOENT elsewhere.
    private const int NotFound = 2;
    private const int WindowsPathNotFound = 3;

    /// <summary>Returns true for exceptions that opening a file or a transfer throws. Others are defects of Sluice.</summary>
    public static bool IsExpected(Exception error) =>
        error is IOException or UnauthorizedAccessException or NotSupportedException or ArgumentException or ObjectDisposedException;

    [DoesNotReturn]
    public static void ThrowOpening(string path, string purpose, Exception error) =>
        Throw($"Opening '{path}' for {purpose} failed: {Reason(error)}", error);

    [DoesNotReturn]
    public static void ThrowClosing(string path, int error) =>
        Throw($"Closing '{path}' failed, and some of what was written to it may be missing: {Marshal.GetPInvokeErrorMessage(error)}");

    [DoesNotReturn]
    public static void ThrowTransfer(string method, string path, Exception error) =>
        Throw($"{method} of '{path}' failed: {Reason(error)}", error);

    [DoesNotReturn]
    public static void ThrowNotOpen(string method) =>
        Throw($"{method} needs a file: call OpenForReading or OpenForWriting first.");

    [DoesNotReturn]
    public static void ThrowNotPinned(string method) =>
        Throw($"{method} needs a buffer: give one to the constructor or to PinBuffer.");

    [DoesNotReturn]
    public static void ThrowSize(string method, int size, long bufferSize) =>
        Throw($"{method} of {size} bytes: the pinned buffer has {bufferSize}.");

    [DoesNotReturn]
    public static void ThrowBufferTooSmall(string path, long bufferSize) =>
        Throw($"ReadUntilEOF of '{path}': the rest of the file is larger than the pinned buffer of {bufferSize} bytes.");

    [DoesNotReturn]
    public static void ThrowTooLong(string path) =>
        Throw($"ReadUntilEOF of '{path}': the rest of the file is larger than {int.MaxValue} bytes, the most that one call reads.");

    /// <summary>
    /// Returns the error as the operating system describes it. .NET has its own texts for "not found" and "access denied", but this class
    /// documents those of the operating system.
    /// </summary>
    private static string Reason(Exception error) => error switch
    {
        FileNotFoundException => Marshal.GetPInvokeErrorMessage(NotFound),
        DirectoryNotFoundException => Marshal.GetPInvokeErrorMessage(OperatingSystem.IsWindows() ? WindowsPathNotFound : NotFound),
        UnauthorizedAccessException { InnerException: IOException inner } => inner.Message,
        _ => error.Message,
    };

    [DoesNotReturn]
    private static void Throw(string message, Exception? inner = null) =>
#pragma warning disable CA2201, MA0014 // The exception that the class has thrown since it was first published; its callers catch it.
        throw new ApplicationException(message, inner);
#pragma warning restore CA2201, MA0014
}
