using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>
/// A request to cancel reaches its operation, also if the submission queue is full, or the kernel refuses to be entered.
/// </summary>
[Trait("Tier", "slow")]
public sealed class CancelSeamTests : HostileTests
{
    [SkippableFact]
    public async Task What_is_cancelled_while_the_submission_queue_is_full_ends()
    {
        SkipWithoutRing();
        using Child child = new([], [], "cancelled in a full queue", Temp.NewFifo(), Temp.NewFifo());
        await child.SucceedAsync();
    }

    [SkippableTheory]
    [InlineData(Errno.EPERM)]
    [InlineData(Errno.EAGAIN)]
    public async Task What_is_cancelled_when_the_kernel_refuses_the_ring_ends(int errno)
    {
        SkipWithoutRing();
        using Child child = new([], [], "cancelled in a refused ring", Temp.NewFifo(), $"{errno}");
        await child.SucceedAsync();
    }

    private static void SkipWithoutRing() =>
        Skip.If(SluiceEngines.Default.Name != "uring", $"this process has no ring: {SluiceEngines.UringReason}");
}
