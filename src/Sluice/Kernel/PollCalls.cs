using System.Runtime.InteropServices;
using Sluice.Uring;

namespace Sluice.Kernel;

/// <summary>poll(2), on 64-bit Linux.</summary>
internal static partial class PollCalls
{
    private const int ErrorOrHangUp = 0x8 | 0x10;

    /// <summary>Whether nobody is left who reads what is written to a pipe or a socket; nobody waits.</summary>
    /// <returns>False also where it was refused.</returns>
    public static bool HasNoReader(int fd)
    {
        PollFd asked = new(fd, Wanted: 0, Answer: 0);
        int answer = SystemCallFaults.Fails("poll", fd) ? -1 : poll(ref asked, 1, 0);
        return answer > 0 && (asked.Answer & ErrorOrHangUp) != 0;
    }

    [LibraryImport("libc")]
    private static partial int poll(ref PollFd descriptors, nuint count, int timeoutMs);

    private record struct PollFd(int Fd, short Wanted, short Answer);
}
