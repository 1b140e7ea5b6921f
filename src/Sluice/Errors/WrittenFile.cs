using Microsoft.Win32.SafeHandles;
using Sluice.Kernel;

namespace Sluice.Errors;

/// <summary>
/// Closes files that were written to, and reports the error of close(2), which <see cref="SafeFileHandle"/> ignores: network file systems
/// may send the data, and learn of a full quota, only then.
/// </summary>
internal static class WrittenFile
{
    /// <summary>Closes a file to which other code may have a reference. Calls of that code continue until they end.</summary>
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
                // The owner closed the handle.
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

        // The lock is released first, as in .NET: a child process that is being started may briefly have a copy of the descriptor, which
        // would keep the lock.
        PathCalls.Unlock(fd);
        ThrowIfFailed(PathCalls.CloseWritten(fd), path);
    }

    /// <param name="result">The result of <see cref="PathCalls.CloseWritten"/>.</param>
    /// <param name="path">The path of the file.</param>
    public static void ThrowIfFailed(int result, string path)
    {
        if (result < 0)
        {
            throw new IOException($"Closing '{path}' failed: {PathErrors.Reason(-result)}", -result);
        }
    }
}
