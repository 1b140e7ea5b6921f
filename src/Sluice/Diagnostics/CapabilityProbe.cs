using Microsoft.Win32.SafeHandles;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Diagnostics;

/// <summary>The values of STATX_DIOALIGN and STATX_WRITE_ATOMIC for an open file: 0 if not supported, null if not reported.</summary>
internal sealed record DirectLimits(int? MemoryBytes, int? OffsetBytes, int? AtomicMinBytes, int? AtomicMaxBytes);

/// <summary>
/// Tests which features the file system of an open file supports. Each method requires <see cref="IsSupported"/> and returns 0 on success,
/// otherwise an errno.
/// </summary>
internal static unsafe class CapabilityProbe
{
    /// <inheritdoc cref="Libc.IsSupported"/>
    public static bool IsSupported => Libc.IsSupported;

    public static DirectLimits LimitsOf(SafeFileHandle file)
    {
        if (Libc.Stat(Fd(file), StatxMask.BasicStats | StatxMask.DioAlign | StatxMask.WriteAtomic, out Statx stat) != 0)
        {
            return new DirectLimits(null, null, null, null);
        }

        bool direct = (stat.Mask & StatxMask.DioAlign) != 0;
        bool atomic = (stat.Mask & StatxMask.WriteAtomic) != 0;
        return new DirectLimits(
            direct ? (int)stat.DioMemAlign : null, direct ? (int)stat.DioOffsetAlign : null,
            atomic ? (int)stat.AtomicWriteUnitMin : null, atomic ? (int)stat.AtomicWriteUnitMax : null);
    }

    /// <summary>Sets or clears O_DIRECT, as <see cref="SluiceHandle"/> does.</summary>
    public static int SetDirect(SafeFileHandle file, bool on)
    {
        int flags = Libc.GetFlags(Fd(file));
        return ErrnoOf(flags < 0 ? flags : Libc.SetFlags(Fd(file), on ? flags | Libc.DirectFlag : flags & ~Libc.DirectFlag));
    }

    public static int Read(SafeFileHandle file, Memory<byte> pinned) => ErrnoOf(TransferCalls.Read(Fd(file), pinned.Span, 0, RwFlags.None));

    public static int Write(SafeFileHandle file, Memory<byte> pinned) => Write(file, pinned, RwFlags.None);

    /// <summary>Writes with RWF_ATOMIC: after a power failure, the file contains all of the bytes or none.</summary>
    public static int WriteAtomically(SafeFileHandle file, Memory<byte> pinned) => Write(file, pinned, RwFlags.Atomic);

    public static int ReadUncached(SafeFileHandle file, Memory<byte> buffer) =>
        ErrnoOf(TransferCalls.Read(Fd(file), buffer.Span, 0, RwFlags.DontCache));

    public static int WriteUncached(SafeFileHandle file, Memory<byte> buffer) => Write(file, buffer, RwFlags.DontCache);

    /// <summary>Reads without waiting. Returns 0 also for EAGAIN: the flag is supported, and the page was not cached.</summary>
    public static int ReadNoWait(SafeFileHandle file, Memory<byte> buffer)
    {
        int result = TransferCalls.AskNoWait(Fd(file), buffer.Span, 0, RwFlags.None);
        return result == -Errno.EAGAIN ? 0 : ErrnoOf(result);
    }

    /// <summary>Clones the whole file (FICLONE).</summary>
    public static int Clone(SafeFileHandle from, SafeFileHandle to) => ErrnoOf(CopyCalls.Clone(Fd(from), Fd(to)));

    public static int CopyRange(SafeFileHandle from, SafeFileHandle to, long length) =>
        ErrnoOf((int)Math.Min(CopyCalls.CopyRange(Fd(from), Fd(to), 0, length), int.MaxValue));

    public static int Allocate(SafeFileHandle file, long offset, long length) =>
        ErrnoOf(SpaceCalls.Allocate(Fd(file), FallocateFlags.None, offset, length));

    public static int PunchHole(SafeFileHandle file, long offset, long length) =>
        ErrnoOf(SpaceCalls.Allocate(Fd(file), FallocateFlags.PunchHole | FallocateFlags.KeepSize, offset, length));

    private static int Write(SafeFileHandle file, Memory<byte> buffer, RwFlags flags) =>
        ErrnoOf(TransferCalls.Write(Fd(file), buffer.Span, 0, flags));

    private static int ErrnoOf(int result) => result < 0 ? -result : 0;

    private static int Fd(SafeFileHandle file) => (int)file.DangerousGetHandle();
}
