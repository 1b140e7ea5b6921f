using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>Whoever makes way at the gate of a direct file, and whoever is called there.</summary>
public sealed class GateSeamTests : HostileTests
{
    private const int Block = 4096;
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    /// <summary>
    /// A write that has left the gate ends, although the one that it has let in there is cancelled, ends at once, and has a caller who
    /// waits for the first, in a context that runs what is posted at once or in none.
    /// </summary>
    [LinuxTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Who_makes_way_does_not_run_the_code_of_who_is_called(bool hasContext)
    {
        using SluiceHandle handle = SluiceHandle.Open(
            Temp.NewFile(new byte[16 * Block]), FileMode.Open, FileAccess.ReadWrite, caching: FileCaching.Direct);
        Skip.If(handle.Caching != FileCaching.Direct, "no direct transfers here");
        using ManualResetEventSlim goesOn = new();
        using ManualResetEventSlim isHeld = new();
        using ManualResetEventSlim hasEnded = new();
        int held = 0;
        SystemCallFaults.Use((call, _, _) =>
        {
            if (call.StartsWith("pwrite", StringComparison.Ordinal) && Interlocked.Exchange(ref held, 1) == 0)
            {
                isHeld.Set();
                goesOn.Wait(Patience);
            }

            return 0;
        });

        // Less than a block: it keeps all others out.
        Task first = handle.WriteAsync(new byte[100], 10).AsTask();
        isHeld.Wait(Patience).ShouldBeTrue();
        using CancellationTokenSource cancellation = new();
        Task<bool> second = WaitForFirstAsync(handle.WriteAsync(new byte[Block], Block, cancellation.Token));

        // Called before what the write has registered: it is cancelled, and has not been told when its turn comes.
        using CancellationTokenRegistration registration = cancellation.Token.Register(() =>
        {
            goesOn.Set();
            hasEnded.Wait(Patience);
        });
        await Task.Factory.StartNew(cancellation.Cancel, TaskCreationOptions.LongRunning);
        (await second.WaitAsync(2 * Patience)).ShouldBeTrue("the first write has ended");
        await first;

        async Task<bool> WaitForFirstAsync(ValueTask write)
        {
            SynchronizationContext.SetSynchronizationContext(hasContext ? new InlineContext() : null);
            try
            {
                await write.ConfigureAwait(hasContext);
            }
            catch (OperationCanceledException)
            {
                // As it should.
            }

            hasEnded.Set();
            return first.Wait(Patience);
        }
    }

    private sealed class InlineContext : SynchronizationContext
    {
        public override void Post(SendOrPostCallback d, object? state) => d(state);
    }
}
