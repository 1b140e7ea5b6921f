using System.Runtime.InteropServices;
using Sluice.Uring;

namespace Sluice.Interop;

/// <summary>eventfd(2): wakes a thread that waits for a ring in which a poll of this descriptor is armed.</summary>
internal sealed unsafe partial class EventFd
{
    private const int CloseOnExec = 0x80000;
    private const int NonBlocking = 0x800;

    private EventFd(int descriptor) => Descriptor = descriptor;

    public int Descriptor { get; }

    /// <summary>Null and a negative errno when no descriptor is left.</summary>
    public static EventFd? TryCreate(out int errno)
    {
        int fd = eventfd(0, CloseOnExec | NonBlocking);
        errno = fd < 0 ? -Marshal.GetLastSystemError() : 0;
        return fd < 0 ? null : new EventFd(fd);
    }

    /// <summary>Makes the descriptor readable; the counter cannot overflow in a process's lifetime of kicks.</summary>
    public void Set()
    {
        ulong one = 1;
        _ = Libc.WriteHere(Descriptor, (byte*)&one, sizeof(ulong));
    }

    public void Close() => Syscalls.Close(Descriptor);

    [LibraryImport("libc")]
    private static partial int eventfd(uint initial, int flags);
}
