using Microsoft.Win32.SafeHandles;
using Sluice.Kernel;

namespace Sluice.Errors;

/// <summary>
/// Closes files that were written to, and reports the error of close(2), which <see cref="SafeFileHandle"/> ignores: network file systems
/// may send the data, and learn of a full quota, only then.
/// </summary>
internal static class WrittenFile
{
    /// <summary>Closes a file to which other code may have a reference: calls of that code go on until they end.</summary>
    /// <exception cref="IOException">close(2) failed. The file is closed all the same.</exception>
    public static void Close(SafeFileHandle file, string path)
    {
        int result = 0;
        if (Libc.IsSupported)
        {
            bool isHeld = false;
            try
            {
                file.DangerousAddRef(ref isHeld);
                result = PathCalls.CloseDuplicate((int)file.DangerousGetHandle());
            }
            catch (ObjectDisposedException)
            {
                // The owner of the handle has closed it by itself.
            }
            finally
            {
                if (isHeld)
                {
                    file.DangerousRelease();
                }
            }
        }

        file.Dispose();
        ThrowIfFailed(result, path);
    }

    /// <summary>Closes a file to which no other code has a reference, without the system calls that <see cref="Close"/> adds.</summary>
    /// <exception cref="IOException">close(2) failed. The file is closed all the same.</exception>
    public static void CloseUnshared(SafeFileHandle file, string path)
    {
        if (!Libc.IsSupported)
        {
            file.Dispose();
            return;
        }

        if (file.IsClosed)
        {
            return;
        }

        int fd = (int)file.DangerousGetHandle();
        file.SetHandleAsInvalid();

        // As .NET: a process that another thread is starting may have the descriptor for a moment, and the lock must not live that long.
        PathCalls.Unlock(fd);
        ThrowIfFailed(PathCalls.CloseWritten(fd), path);
    }

    /// <param name="result">What <see cref="PathCalls.CloseWritten"/> answered.</param>
    /// <param name="path">The file.</param>
    public static void ThrowIfFailed(int result, string path)
    {
        if (result < 0)
        {
            throw new IOException($"Closing '{path}' failed: {PathErrors.Reason(-result)}", -result);
        }
    }
}
