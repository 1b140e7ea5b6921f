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

    /// <summary>Leases that have not ended; those that only wait for a barrier are over.</summary>
    protected static int Rented()
    {
        RetiredMemory.Flush();
        return AlignedBufferPool.Rented;
    }

    public virtual Task InitializeAsync() => Task.CompletedTask;

    public virtual async Task DisposeAsync()
    {
        // What was in flight when its owner was closed gives its memory back when it ends.
        for (int i = 0; i < 6000 && Rented() != _rented; i++)
        {
            await Task.Delay(10);
        }

        Rented().ShouldBe(_rented, "leases that have not ended");
        AlignedBufferPool.SecondReturns.ShouldBe(_secondReturns, "leases that were ended twice");
    }
}
