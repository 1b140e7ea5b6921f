using System.Runtime.InteropServices;
using Sluice.Uring;

namespace Sluice.Kernel;

/// <summary>poll(2), on 64-bit Linux.</summary>
internal static partial class PollCalls
{
    private const int ErrorOrHangUp = 0x8 | 0x10;
    private const short Readable = 0x1;
    private const short Writable = 0x4;

    /// <summary>Returns true if the other end of a pipe or socket is closed. Does not wait.</summary>
    /// <returns>False also if the call was refused.</returns>
    public static bool HasNoReader(int fd)
    {
        PollFd asked = new(fd, Wanted: 0, Answer: 0);
        int answer = SystemCallFaults.Fails("poll", fd) ? -1 : poll(ref asked, 1, 0);
        return answer > 0 && (asked.Answer & ErrorOrHangUp) != 0;
    }

    /// <summary>Returns true if the descriptor is open with O_NONBLOCK.</summary>
    public static bool IsNonBlocking(int fd) => Libc.GetFlags(fd) is >= 0 and int flags && (flags & PathCalls.NonBlocking) != 0;

    /// <summary>
    /// Waits, after a transfer returned EAGAIN, until the descriptor is ready, closed at the other end, or in an error. A descriptor that
    /// is not open with O_NONBLOCK is not waited for: EAGAIN is an error there.
    /// </summary>
    /// <returns>True if the transfer is to be repeated; false if EAGAIN is its result.</returns>
    public static bool WaitUntilReady(int fd, bool isRead)
    {
        if (!IsNonBlocking(fd))
        {
            return false;
        }

        PollFd asked = new(fd, Wanted: isRead ? Readable : Writable, Answer: 0);
        const int noLimit = -1;
        nint answer;
        while (SystemCall.WasInterrupted(answer = SystemCallFaults.Fails("poll", fd) ? -1 : poll(ref asked, 1, noLimit)))
        {
        }

        return answer > 0;
    }

    /// <summary>Sleeps. In contrast to Thread.Sleep, Thread.Interrupt does not end the sleep.</summary>
    public static void Sleep(int milliseconds)
    {
        PollFd none = default;

        // If a signal ends the sleep early, the caller checks again.
        _ = poll(ref none, 0, milliseconds);
    }

    [LibraryImport(SystemLibrary.Name)]
    private static partial int poll(ref PollFd descriptors, nuint count, int timeoutMs);

    private record struct PollFd(int Fd, short Wanted, short Answer);
}
