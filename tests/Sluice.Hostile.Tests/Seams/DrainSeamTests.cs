using System.Runtime.InteropServices;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>A ring is closed while the kernel lets nobody enter, for a reason that passes, as it says each time.</summary>
[Trait("Tier", "slow")]
public sealed class DrainSeamTests : HostileTests
{
    private readonly nint _memory = Marshal.AllocHGlobal(64);

    public override void Dispose()
    {
        SystemCallFaults.Use(null);
        Marshal.FreeHGlobal(_memory);
        base.Dispose();
    }

    [SkippableTheory]
    [InlineData(Errno.EAGAIN)]
    [InlineData(Errno.EBUSY)]
    [InlineData(Errno.ENOMEM)]
    public async Task What_the_kernel_never_took_is_dropped(int errno)
    {
        Ring ring = CreateRing();
        using SluiceHandle fifo = OpenFifo();
        Read(ring, fifo, 1);
        ring.Submit().ShouldBe(1);
        Read(ring, fifo, 2);
        Read(ring, fifo, 3);
        SystemCallFaults.Use((call, _, _) => call == "io_uring_enter" ? -errno : 0);
        await Watchdog.EndsAsync(
            () =>
            {
                List<(ulong UserData, int Result)> ended = [];
                ring.Drain(cqe => ended.Add((cqe.UserData, cqe.Res)));
                ended.ShouldBe([(1ul, -Errno.ECANCELED), (2ul, -Errno.ECANCELED), (3ul, -Errno.ECANCELED)], ignoreOrder: true);
                ring.InFlight.ShouldBe(0u);
                ring.Pending.ShouldBe(0u);
                ring.Dispose();
                return Task.CompletedTask;
            },
            "a drain");
    }

    /// <summary>It can be neither cancelled nor waited for: the ring stays, and the memory is the kernel's until it has ended.</summary>
    [SkippableFact]
    public async Task What_is_in_flight_keeps_its_ring()
    {
        Ring ring = CreateRing();
        using SluiceHandle fifo = OpenFifo();
        await Watchdog.EndsAsync(
            () =>
            {
                Read(ring, fifo, 1);
                ring.Submit().ShouldBe(1);
                SystemCallFaults.Use(static (call, _, _) => call is "io_uring_enter" or "io_uring_register" ? -Errno.EAGAIN : 0);
                Should.Throw<InvalidOperationException>(ring.Dispose);
                SystemCallFaults.Use(null);
                fifo.Write([7], 0);
                List<(ulong UserData, int Result)> ended = [];
                ring.SubmitAndWait(1).ShouldBe(0);
                ring.Drain(cqe => ended.Add((cqe.UserData, cqe.Res)));
                ended.ShouldBe([(1ul, 1)]);
                Marshal.ReadByte(_memory, 1).ShouldBe((byte)7);
                ring.Dispose();
                return Task.CompletedTask;
            },
            "a drain");
    }

    private static Ring CreateRing()
    {
        Ring? ring = Ring.TryCreate(8, 0, SetupFlags.SubmitAll, out int errno);
        Skip.If(ring is null, $"no ring: errno {errno}");
        return ring!;
    }

    private SluiceHandle OpenFifo() => SluiceHandle.Open(Temp.NewFifo(), FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);

    private unsafe void Read(Ring ring, SluiceHandle file, int number) =>
        Prep.Read(
            ring.TryTake(), (int)file.SafeFileHandle.DangerousGetHandle(), (byte*)_memory + number, 1, 0, RwFlags.None, (ulong)number);
}
