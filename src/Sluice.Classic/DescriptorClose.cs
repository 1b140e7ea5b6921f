using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Sluice.Classic;

/// <summary>Asks what close(2) will say, which a SafeFileHandle keeps to itself.</summary>
internal static partial class DescriptorClose
{
    private const int EBADF = 9;

    /// <summary>F_DUPFD_CLOEXEC of Linux: child processes do not get the second descriptor.</summary>
    private const int DuplicateCloseOnExec = 1030;

    /// <summary>
    /// Network file systems write back at close, and report there what they could not. They do so for every descriptor of the file, so
    /// closing a second one tells, and the first stays with its owner.
    /// </summary>
    /// <returns>0, or the number of the error of closing; 0 too where the operating system cannot be asked.</returns>
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

            // Without a free descriptor there is nothing to ask; a descriptor that is not open cannot be closed either.
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
