using System.Runtime.InteropServices;

namespace Sluice.Uring.Abi;

/// <summary>struct __kernel_timespec (16 bytes).</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct KernelTimespec
{
    public long Seconds;
    public long Nanoseconds;

    public static KernelTimespec FromMilliseconds(long milliseconds) =>
        new() { Seconds = milliseconds / 1000, Nanoseconds = milliseconds % 1000 * 1_000_000 };
}

/// <summary>struct io_uring_getevents_arg (24 bytes): the argument of enter with IORING_ENTER_EXT_ARG.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct GetEventsArg
{
    public ulong SigMask;
    public uint SigMaskSize;
    public uint MinWaitUsec;
    public ulong Timespec;
}
