using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Shouldly;
using Sluice.Uring.Abi;
using Xunit;

namespace Sluice.Uring.Tests.Abi;

/// <summary>Sizes and offsets as the C compiler lays out linux/io_uring.h, linux/stat.h and sys/uio.h on a 64-bit machine.</summary>
public sealed class AbiLayoutTests
{
    public static TheoryData<Type, int> Sizes => new()
    {
        { typeof(IoUringSqe), 64 },
        { typeof(IoUringCqe), 16 },
        { typeof(IoUringParams), 120 },
        { typeof(SqRingOffsets), 40 },
        { typeof(CqRingOffsets), 40 },
        { typeof(GetEventsArg), 24 },
        { typeof(SyncCancelReg), 64 },
        { typeof(KernelTimespec), 16 },
        { typeof(IoUringProbe), 16 },
        { typeof(IoUringProbeOp), 8 },
        { typeof(Statx), 256 },
        { typeof(StatxTimestamp), 16 },
        { typeof(Iovec), 16 },
    };

    public static TheoryData<Type, string, int> Offsets => new()
    {
        { typeof(IoUringSqe), nameof(IoUringSqe.Opcode), 0 },
        { typeof(IoUringSqe), nameof(IoUringSqe.Flags), 1 },
        { typeof(IoUringSqe), nameof(IoUringSqe.IoPrio), 2 },
        { typeof(IoUringSqe), nameof(IoUringSqe.Fd), 4 },
        { typeof(IoUringSqe), nameof(IoUringSqe.Off), 8 },
        { typeof(IoUringSqe), nameof(IoUringSqe.Addr), 16 },
        { typeof(IoUringSqe), nameof(IoUringSqe.Len), 24 },
        { typeof(IoUringSqe), nameof(IoUringSqe.OpFlags), 28 },
        { typeof(IoUringSqe), nameof(IoUringSqe.UserData), 32 },
        { typeof(IoUringSqe), nameof(IoUringSqe.BufIndex), 40 },
        { typeof(IoUringSqe), nameof(IoUringSqe.Personality), 42 },
        { typeof(IoUringSqe), nameof(IoUringSqe.FileIndex), 44 },
        { typeof(IoUringSqe), nameof(IoUringSqe.Addr3), 48 },
        { typeof(IoUringSqe), nameof(IoUringSqe.Pad2), 56 },
        { typeof(IoUringCqe), nameof(IoUringCqe.UserData), 0 },
        { typeof(IoUringCqe), nameof(IoUringCqe.Res), 8 },
        { typeof(IoUringCqe), nameof(IoUringCqe.Flags), 12 },
        { typeof(IoUringParams), nameof(IoUringParams.SqEntries), 0 },
        { typeof(IoUringParams), nameof(IoUringParams.CqEntries), 4 },
        { typeof(IoUringParams), nameof(IoUringParams.Flags), 8 },
        { typeof(IoUringParams), nameof(IoUringParams.SqThreadCpu), 12 },
        { typeof(IoUringParams), nameof(IoUringParams.SqThreadIdle), 16 },
        { typeof(IoUringParams), nameof(IoUringParams.Features), 20 },
        { typeof(IoUringParams), nameof(IoUringParams.WqFd), 24 },
        { typeof(IoUringParams), nameof(IoUringParams.SqOff), 40 },
        { typeof(IoUringParams), nameof(IoUringParams.CqOff), 80 },
        { typeof(SqRingOffsets), nameof(SqRingOffsets.Head), 0 },
        { typeof(SqRingOffsets), nameof(SqRingOffsets.Tail), 4 },
        { typeof(SqRingOffsets), nameof(SqRingOffsets.RingMask), 8 },
        { typeof(SqRingOffsets), nameof(SqRingOffsets.RingEntries), 12 },
        { typeof(SqRingOffsets), nameof(SqRingOffsets.Flags), 16 },
        { typeof(SqRingOffsets), nameof(SqRingOffsets.Dropped), 20 },
        { typeof(SqRingOffsets), nameof(SqRingOffsets.Array), 24 },
        { typeof(SqRingOffsets), nameof(SqRingOffsets.UserAddr), 32 },
        { typeof(CqRingOffsets), nameof(CqRingOffsets.Head), 0 },
        { typeof(CqRingOffsets), nameof(CqRingOffsets.Tail), 4 },
        { typeof(CqRingOffsets), nameof(CqRingOffsets.RingMask), 8 },
        { typeof(CqRingOffsets), nameof(CqRingOffsets.RingEntries), 12 },
        { typeof(CqRingOffsets), nameof(CqRingOffsets.Overflow), 16 },
        { typeof(CqRingOffsets), nameof(CqRingOffsets.Cqes), 20 },
        { typeof(CqRingOffsets), nameof(CqRingOffsets.Flags), 24 },
        { typeof(CqRingOffsets), nameof(CqRingOffsets.UserAddr), 32 },
        { typeof(GetEventsArg), nameof(GetEventsArg.SigMask), 0 },
        { typeof(GetEventsArg), nameof(GetEventsArg.SigMaskSize), 8 },
        { typeof(GetEventsArg), nameof(GetEventsArg.MinWaitUsec), 12 },
        { typeof(GetEventsArg), nameof(GetEventsArg.Timespec), 16 },
        { typeof(SyncCancelReg), nameof(SyncCancelReg.Addr), 0 },
        { typeof(SyncCancelReg), nameof(SyncCancelReg.Fd), 8 },
        { typeof(SyncCancelReg), nameof(SyncCancelReg.Flags), 12 },
        { typeof(SyncCancelReg), nameof(SyncCancelReg.Timeout), 16 },
        { typeof(KernelTimespec), nameof(KernelTimespec.Seconds), 0 },
        { typeof(KernelTimespec), nameof(KernelTimespec.Nanoseconds), 8 },
        { typeof(IoUringProbe), nameof(IoUringProbe.LastOp), 0 },
        { typeof(IoUringProbe), nameof(IoUringProbe.OpsLen), 1 },
        { typeof(IoUringProbeOp), nameof(IoUringProbeOp.Op), 0 },
        { typeof(IoUringProbeOp), nameof(IoUringProbeOp.Flags), 2 },
        { typeof(Statx), nameof(Statx.Mask), 0 },
        { typeof(Statx), nameof(Statx.BlockSize), 4 },
        { typeof(Statx), nameof(Statx.Attributes), 8 },
        { typeof(Statx), nameof(Statx.NLink), 16 },
        { typeof(Statx), nameof(Statx.Mode), 28 },
        { typeof(Statx), nameof(Statx.Ino), 32 },
        { typeof(Statx), nameof(Statx.Size), 40 },
        { typeof(Statx), nameof(Statx.Blocks), 48 },
        { typeof(Statx), nameof(Statx.AttributesMask), 56 },
        { typeof(Statx), nameof(Statx.Atime), 64 },
        { typeof(Statx), nameof(Statx.Btime), 80 },
        { typeof(Statx), nameof(Statx.Ctime), 96 },
        { typeof(Statx), nameof(Statx.Mtime), 112 },
        { typeof(Statx), nameof(Statx.RdevMajor), 128 },
        { typeof(Statx), nameof(Statx.DevMajor), 136 },
        { typeof(Statx), nameof(Statx.DevMinor), 140 },
        { typeof(Statx), nameof(Statx.MntId), 144 },
        { typeof(Statx), nameof(Statx.DioMemAlign), 152 },
        { typeof(Statx), nameof(Statx.DioOffsetAlign), 156 },
        { typeof(Statx), nameof(Statx.AtomicWriteUnitMin), 168 },
        { typeof(Statx), nameof(Statx.AtomicWriteUnitMax), 172 },
        { typeof(Iovec), nameof(Iovec.Base), 0 },
        { typeof(Iovec), nameof(Iovec.Len), 8 },
    };

    [Theory]
    [MemberData(nameof(Sizes))]
    public void Structure_has_the_size_of_the_kernel_header(Type type, int sizeBytes) => Marshal.SizeOf(type).ShouldBe(sizeBytes);

    [Fact]
    public void Managed_sizes_equal_the_native_ones()
    {
        // The rings are read through pointers: the managed layout counts, not the one of the marshaller.
        Unsafe.SizeOf<IoUringSqe>().ShouldBe(64);
        Unsafe.SizeOf<IoUringCqe>().ShouldBe(16);
        Unsafe.SizeOf<IoUringParams>().ShouldBe(120);
        Unsafe.SizeOf<Statx>().ShouldBe(256);
    }

    [Theory]
    [MemberData(nameof(Offsets))]
    public void Field_has_the_offset_of_the_kernel_header(Type type, string field, int offsetBytes) =>
        ((int)Marshal.OffsetOf(type, field)).ShouldBe(offsetBytes);

    [Theory]
    [InlineData(0, 0, 0)]
    [InlineData(1, 0, 1_000_000)]
    [InlineData(2_345, 2, 345_000_000)]
    public void A_timeout_has_whole_seconds_and_nanoseconds(long milliseconds, long seconds, long nanoseconds)
    {
        KernelTimespec timespec = KernelTimespec.FromMilliseconds(milliseconds);
        (timespec.Seconds, timespec.Nanoseconds).ShouldBe((seconds, nanoseconds));
    }
}
