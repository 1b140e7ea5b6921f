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
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Who_makes_way_does_not_run_the_code_of_who_is_called(bool hasContext)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
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

    /// <summary>A context that hears of waits, and throws there, does not leave the write at the gate for others to wait behind.</summary>
    [SkippableFact]
    public async Task Who_waits_at_the_gate_waits_without_its_context()
    {
        using SluiceHandle handle = SluiceHandle.Open(
            Temp.NewFile(new byte[16 * Block]), FileMode.Open, FileAccess.ReadWrite, caching: FileCaching.Direct);
        Skip.If(handle.Caching != FileCaching.Direct, "no direct transfers here");
        handle.DirectGate!.TryEnterAlone().ShouldBeTrue();
        Exception? error = null;
        SynchronizationContext? context = null;
        Thread writer = new(() =>
        {
            SynchronizationContext.SetSynchronizationContext(new ThrowingContext());
            error = Record.Exception(() => handle.Write(Enumerable.Repeat((byte)7, 100).ToArray(), 10));
            context = SynchronizationContext.Current;
        });
        writer.Start();
        SpinWait.SpinUntil(() => (writer.ThreadState & ThreadState.WaitSleepJoin) != 0 || !writer.IsAlive, Patience).ShouldBeTrue();
        handle.DirectGate!.Exit();
        writer.Join(Patience).ShouldBeTrue();
        error.ShouldBeNull();
        context.ShouldBeOfType<ThrowingContext>();
        await handle.WriteAsync(new byte[] { 8 }, 200).AsTask().WaitAsync(Patience);
        byte[] read = new byte[191];
        handle.Read(read, 10).ShouldBe(read.Length);
        (read[0], read[99], read[100], read[190]).ShouldBe(((byte)7, (byte)7, (byte)0, (byte)8));
    }

    private sealed class ThrowingContext : SynchronizationContext
    {
        public ThrowingContext() => SetWaitNotificationRequired();

        public override int Wait(IntPtr[] waitHandles, bool waitAll, int millisecondsTimeout) =>
            throw new InvalidOperationException("Nobody waits here.");
    }

    private sealed class InlineContext : SynchronizationContext
    {
        public override void Post(SendOrPostCallback d, object? state) => d(state);
    }
}
