using Microsoft.Win32.SafeHandles;
using Sluice.Uring;

namespace Sluice.Interop;

/// <summary>Asks what close(2) will say, which a SafeFileHandle keeps to itself.</summary>
internal static class DescriptorClose
{
    /// <summary>
    /// Network file systems write back at close, and report there what they could not. They do so for every descriptor of the file, so
    /// closing a second one tells, and the first stays with its owner.
    /// </summary>
    /// <returns>Whether closing succeeds; true where the operating system cannot be asked.</returns>
    public static bool TryClose(SafeFileHandle file)
    {
        if (!Libc.IsSupported)
        {
            return true;
        }

        bool added = false;
        try
        {
            file.DangerousAddRef(ref added);
            int second = Libc.Duplicate((int)file.DangerousGetHandle());

            // Without a free descriptor there is nothing to ask; a descriptor that is not open cannot be closed either.
            return second < 0 ? second != -Errno.EBADF : Syscalls.Close(second) == 0;
        }
        finally
        {
            if (added)
            {
                file.DangerousRelease();
            }
        }
    }
}
