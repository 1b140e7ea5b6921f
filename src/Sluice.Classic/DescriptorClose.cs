using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Sluice.Classic;

/// <summary>Determines the error of close(2), which <see cref="SafeFileHandle"/> does not report.</summary>
internal static partial class DescriptorClose
{
    private const int EBADF = 9;

    /// <summary>F_DUPFD_CLOEXEC of Linux: child processes do not inherit the second descriptor.</summary>
    private const int DuplicateCloseOnExec = 1030;

    /// <summary>
    /// Closes a duplicate of the descriptor and returns the error. Network file systems send written data to the server when a descriptor
    /// is closed, and report errors there. They do so for every descriptor of the file, and the original one stays open.
    /// </summary>
    /// <returns>0, or the error number of close(2); also 0 if the operating system cannot report it.</returns>
    public static int ErrorOf(SafeFileHandle file)
    {
        if (!OperatingSystem.IsLinux())
        {
            return 0;
        }

        bool added = false;
        try
        {
            file.DangerousAddRef(ref added);
            int second = fcntl((int)file.DangerousGetHandle(), DuplicateCloseOnExec, 0);

            // Without a free descriptor, the error is unknown. A descriptor that is not open (EBADF) cannot be closed either.
            if (second < 0)
            {
                return Marshal.GetLastPInvokeError() == EBADF ? EBADF : 0;
            }

            return close(second) == 0 ? 0 : Marshal.GetLastPInvokeError();
        }
        finally
        {
            if (added)
            {
                file.DangerousRelease();
            }
        }
    }

    [LibraryImport("libc", SetLastError = true)]
    private static partial int fcntl(int fd, int command, nint argument);

    [LibraryImport("libc", SetLastError = true)]
    private static partial int close(int fd);
}
