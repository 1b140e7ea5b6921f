using Sluice.Memory;

namespace Sluice.Tests.Support;

/// <summary>
/// Tests at whose end all memory that was rented is back, and none was given back twice. They count what the whole process has: derived
/// classes belong to <see cref="AloneCollection"/>.
/// </summary>
public abstract class AccountedTests : IAsyncLifetime
{
    private readonly int _rented = Rented();
    private readonly int _secondReturns = AlignedBufferPool.SecondReturns;

    /// <summary>Leases that have not ended.</summary>
    protected static int Rented() => AlignedBufferPool.Rented;

    public virtual Task InitializeAsync() => Task.CompletedTask;

    /// <summary>
    /// No more leases than so many: what was in flight when its owner was closed gives its memory back when it ends. They may be fewer,
    /// where something of an earlier test was in flight when they were counted.
    /// </summary>
    protected static void ShouldHaveGivenBack(int rented)
    {
        _ = SpinWait.SpinUntil(() => Rented() <= rented, TimeSpan.FromMinutes(2));
        Rented().ShouldBeLessThanOrEqualTo(rented, "leases that have not ended");
    }

    public virtual async Task DisposeAsync()
    {
        await Task.Run(() => ShouldHaveGivenBack(_rented));
        AlignedBufferPool.SecondReturns.ShouldBe(_secondReturns, "leases that were ended twice");
    }
}
