using Sluice.Memory;
using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>
/// A request to cancel reaches what it is about, also where the submission queue has no room for it, where there is no memory to keep it,
/// and where the kernel lets nobody enter any more.
/// </summary>
[Trait("Tier", "slow")]
public sealed class CancelSeamTests : HostileTests
{
    public override void Dispose()
    {
        Seam.Use(null);
        base.Dispose();
    }

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

    [SkippableFact]
    public Task What_is_cancelled_without_memory_before_it_was_handed_over_ends()
    {
#if !DEBUG
        Skip.If(true, "Debug builds have the places");
#endif
        SkipWithoutRing();
        return CancelSeam.CancelFirstAsync(Temp.NewFifo(), Temp.NewFifo(), 1, static source =>
        {
            Seam.Use(static kind =>
            {
                if (kind == SeamKind.Memory)
                {
                    throw new OutOfMemoryException();
                }
            });
            source.Cancel();
            Seam.Use(null);
        });
    }

    /// <summary>Neither the library nor the kernel has memory: the request is not kept, and what it is about not handed over yet.</summary>
    [SkippableFact]
    public Task What_is_cancelled_without_memory_in_a_starved_ring_ends()
    {
#if !DEBUG
        Skip.If(true, "Debug builds have the places");
#endif
        SkipWithoutRing();
        return CancelSeam.CancelStarvedAsync(Temp.NewFifo(), static source =>
        {
            Seam.Use(static kind =>
            {
                if (kind == SeamKind.Memory)
                {
                    throw new OutOfMemoryException();
                }
            });
            source.Cancel();
            Seam.Use(null);
        });
    }

    private static void SkipWithoutRing() =>
        Skip.If(SluiceEngines.Default.Name != "uring", $"this process has no ring: {SluiceEngines.UringReason}");
}
