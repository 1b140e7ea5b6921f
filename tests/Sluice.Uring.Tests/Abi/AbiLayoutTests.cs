using System.Runtime.CompilerServices;
using Shouldly;
using Sluice.Uring.Abi;
using Xunit;

namespace Sluice.Uring.Tests.Abi;

/// <summary>Sizes as the C compiler lays out linux/io_uring.h, linux/stat.h and sys/uio.h on a 64-bit machine.</summary>
public sealed class AbiLayoutTests
{
    [Fact]
    public void Structures_have_the_sizes_of_the_kernel_headers()
    {
        // The rings are read through pointers: the managed layout counts, not the one of the marshaller.
        Unsafe.SizeOf<IoUringSqe>().ShouldBe(64);
        Unsafe.SizeOf<IoUringCqe>().ShouldBe(16);
        Unsafe.SizeOf<IoUringParams>().ShouldBe(120);
        Unsafe.SizeOf<GetEventsArg>().ShouldBe(24);
        Unsafe.SizeOf<SyncCancelReg>().ShouldBe(64);
        Unsafe.SizeOf<IoUringProbe>().ShouldBe(16);
        Unsafe.SizeOf<IoUringProbeOp>().ShouldBe(8);
        Unsafe.SizeOf<Statx>().ShouldBe(256);
        Unsafe.SizeOf<Iovec>().ShouldBe(16);
    }

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
