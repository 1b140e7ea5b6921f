using Microsoft.Win32.SafeHandles;
using Sluice.Handles;

namespace Sluice.Streams;

/// <summary>Opens the handle of a stream. Passes invalid arguments to FileStream, so that it throws its exceptions.</summary>
internal static class StreamOpening
{
    public static SluiceHandle Open(string path, FileMode mode, FileAccess access, FileShare share, int bufferSize, FileOptions options)
    {
        if (bufferSize < 0)
        {
            // Throws for the negative buffer size, so that no file is opened.
            new FileStream(path, mode, access, share, bufferSize, options).Dispose();
        }

        return SluiceHandle.Open(path, mode, access, share, options);
    }

    /// <summary>
    /// Copies the options, because other threads may change them. Checks them here, because FileStream and File.OpenHandle use different
    /// parameter names in their exceptions.
    /// </summary>
    public static SluiceOptions Copied(string path, FileStreamOptions options)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        SluiceOptions copy = options;
        if (copy.Mode == FileMode.Append && (copy.Access & FileAccess.Read) != 0)
        {
            throw new ArgumentException("Append access can be requested only in write-only mode.", nameof(options));
        }

        bool makesOrEmpties = copy.Mode is FileMode.Truncate or FileMode.CreateNew or FileMode.Create or FileMode.Append;
        if (makesOrEmpties && (copy.Access & FileAccess.Write) == 0)
        {
            throw new ArgumentException($"FileMode.{copy.Mode} needs FileAccess.Write.", nameof(options));
        }

        return copy;
    }

    public static SluiceHandle Open(string path, SluiceOptions options)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        ArgumentNullException.ThrowIfNull(options);
        CheckBufferSize(options.BufferSize);
        return SluiceHandle.Open(path, options);
    }

    /// <summary>Returns the handle of a stream that is created over an operating system handle.</summary>
    /// <param name="isAsync">The value that the caller specified, or null.</param>
    public static SluiceHandle Adopt(SafeFileHandle? handle, FileAccess access, int bufferSize, bool? isAsync = null)
    {
        // IsAsync is not read for an invalid handle: on .NET 11 it throws its own exception.
        if (handle is null || handle.IsClosed || handle.IsInvalid || bufferSize < 0 || !IsKnown(access)
            || (isAsync is { } expected && handle.IsAsync != expected))
        {
            BorrowedStream.Forget(isAsync is { } said
                ? new FileStream(handle!, access, bufferSize, said)
                : new FileStream(handle!, access, bufferSize));
        }

        return SluiceHandle.FromSafeFileHandle(handle!, access, ownsHandle: true);
    }

    /// <summary>Returns the handle of a stream that is created over a descriptor. If this fails, the descriptor stays open.</summary>
    public static SluiceHandle Adopt(nint handle, FileAccess access, bool ownsHandle, int bufferSize, bool isAsync)
    {
        var file = new SafeFileHandle(handle, ownsHandle);
        try
        {
            return Adopt(file, access, bufferSize, isAsync);
        }
        catch
        {
            file.SetHandleAsInvalid();
            throw;
        }
    }

    public static void Check(SluiceHandle handle, FileAccess access, int bufferSize)
    {
        ArgumentNullException.ThrowIfNull(handle);
        if (!IsKnown(access))
        {
            throw new ArgumentOutOfRangeException(nameof(access));
        }

        CheckBufferSize(bufferSize);
        ObjectDisposedException.ThrowIf(handle.IsClosed, handle);
    }

    private static void CheckBufferSize(int bufferSize)
    {
        if (bufferSize is < 0 and not SluiceOptions.Adaptive)
        {
            throw new ArgumentOutOfRangeException(nameof(bufferSize), "A buffer size must not be negative, unless it is Adaptive.");
        }
    }

    private static bool IsKnown(FileAccess access) => access is >= FileAccess.Read and <= FileAccess.ReadWrite;
}
