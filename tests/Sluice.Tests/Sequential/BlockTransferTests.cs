using System.Runtime.CompilerServices;
using Sluice.Engines;
using Sluice.Memory;
using Sluice.Sequential;

namespace Sluice.Tests.Sequential;

public sealed class BlockTransferTests
{
    private const int Block = 4096;

    [SkippableFact]
    public void A_block_that_the_pool_carries_out_waits_for_its_turn_at_the_gate_without_a_thread()
    {
        using TempFolder temp = new();
        string path = temp.NewFile(new byte[Block]);
        byte[] content = Bytes.Pattern(Block);
        using (SluiceHandle handle = SluiceHandle.Open(
            path, new SluiceOptions { Access = FileAccess.ReadWrite, Caching = FileCaching.Direct, Engine = SluiceEngines.Pool }))
        {
            Skip.If(handle.Caching != FileCaching.Direct, handle.CachingReason);
            Edge edge = new();
            handle.DirectGate!.Enter(edge).ShouldBe(GatePass.Inside);
            BlockTransfer transfer = new(AlignedBufferPool.RentOfMany(Block)) { Length = Block };
            content.CopyTo(transfer.Span);

            // The test's own thread stands for the pool's, which is not asked.
            IsQueued(transfer) = 1;
            IoMetrics.NotePooled(1);
            transfer.Offer(handle, isRead: false);
            Thread thread = new(((IThreadPoolWorkItem)transfer).Execute) { IsBackground = true };
            thread.Start();
            thread.Join(TimeSpan.FromMinutes(1)).ShouldBeTrue("it waits at the gate");
            transfer.Task!.IsCompleted.ShouldBeFalse();
            handle.DirectGate.Leave(edge);
            transfer.Wait();
            transfer.Task.Result.ShouldBe(Block);
            transfer.Block.Return();
        }

        File.ReadAllBytes(path).ShouldBeBytes(content);
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_isQueued")]
    private static extern ref int IsQueued(BlockTransfer transfer);

    /// <summary>A part of a page, which keeps all blocks out.</summary>
    private sealed class Edge : GateVisitor
    {
        public Edge() => IsExclusive = true;

        public override bool IsCancellationRequested => false;

        public override bool BeginsWhenCalled => true;

        public override void OnCalled()
        {
        }
    }
}
