using System.Runtime.CompilerServices;
using Sluice.Engines;

namespace Sluice.Tests.Engines;

public sealed class DirectWriteGateTests
{
    private static ulong s_inode = 1_000_000;

    private readonly ulong _inode = Interlocked.Increment(ref s_inode);

    [Fact]
    public void One_file_has_one_gate_while_anybody_has_it_and_none_afterwards()
    {
        WeakReference weak = TakeTwice();
        for (int i = 0; i < 10 && weak.IsAlive; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        weak.IsAlive.ShouldBeFalse();
        DirectWriteGate.IsKnown(ulong.MaxValue, _inode).ShouldBeFalse();

        [MethodImpl(MethodImplOptions.NoInlining)]
        WeakReference TakeTwice()
        {
            DirectWriteGate gate = Take();
            Take().ShouldBeSameAs(gate);
            DirectWriteGate.IsKnown(ulong.MaxValue, _inode).ShouldBeTrue();
            return new WeakReference(gate);
        }
    }

    [Fact]
    public void Many_share_it_and_one_keeps_all_out()
    {
        DirectWriteGate gate = Take();
        Visitor[] sharing = [new(), new()];
        Visitor edge = new(exclusive: true);
        gate.Enter(sharing[0]).ShouldBe(GatePass.Inside);
        gate.TryEnterShared().ShouldBeTrue();
        gate.Enter(edge).ShouldBe(GatePass.Waiting);
        gate.TryEnterShared().ShouldBeFalse();
        gate.Enter(sharing[1]).ShouldBe(GatePass.Waiting);
        gate.Leave(sharing[0]);
        edge.Calls.ShouldBe(0);
        gate.Exit();
        (edge.Calls, edge.Pass, sharing[1].Calls).ShouldBe((1, GatePass.Inside, 0));
        gate.Leave(edge);
        (sharing[1].Calls, sharing[1].Pass).ShouldBe((1, GatePass.Inside));
        gate.Leave(sharing[1]);
        gate.Leave(sharing[1]);
        gate.Enter(edge).ShouldBe(GatePass.Inside);
        gate.Leave(edge);
    }

    [Fact]
    public void Visitors_are_admitted_in_their_order()
    {
        DirectWriteGate gate = Take();
        Visitor[] visitors = [new(exclusive: true), new(), new(), new(exclusive: true), new()];
        gate.Enter(visitors[0]).ShouldBe(GatePass.Inside);
        foreach (Visitor visitor in visitors[1..])
        {
            gate.Enter(visitor).ShouldBe(GatePass.Waiting);
        }

        gate.Leave(visitors[0]);
        visitors.Select(static v => v.Calls).ShouldBe([0, 1, 1, 0, 0]);
        gate.Enter(visitors[0]).ShouldBe(GatePass.Waiting);
        gate.Leave(visitors[1]);
        gate.Leave(visitors[2]);
        visitors.Select(static v => v.Calls).ShouldBe([0, 1, 1, 1, 0]);
        gate.Leave(visitors[3]);
        visitors.Select(static v => v.Calls).ShouldBe([0, 1, 1, 1, 1]);
        gate.Leave(visitors[4]);
        visitors[0].Calls.ShouldBe(1);
        gate.Leave(visitors[0]);
    }

    [Fact]
    public void A_visitor_that_was_called_is_inside_when_its_thread_comes()
    {
        DirectWriteGate gate = Take();
        Visitor first = new(exclusive: true);
        Visitor second = new(exclusive: true);
        gate.Enter(first).ShouldBe(GatePass.Inside);
        gate.Enter(second).ShouldBe(GatePass.Waiting);
        gate.Leave(first);
        (second.Calls, second.Pass).ShouldBe((1, GatePass.Inside));
        gate.TryWithdraw(second).ShouldBeFalse();
        gate.TryEnterShared().ShouldBeFalse();
        gate.Enter(second).ShouldBe(GatePass.Inside);
        gate.Leave(second);
        gate.TryEnterShared().ShouldBeTrue();
        gate.Exit();
    }

    [Fact]
    public void Whoever_withdraws_keeps_nobody_out()
    {
        DirectWriteGate gate = Take();
        Visitor sharing = new();
        Visitor edge = new(exclusive: true);
        Visitor later = new();
        gate.Enter(sharing);
        gate.Enter(edge).ShouldBe(GatePass.Waiting);
        gate.Enter(later).ShouldBe(GatePass.Waiting);
        gate.TryWithdraw(edge).ShouldBeTrue();
        gate.TryWithdraw(edge).ShouldBeFalse();
        (later.Pass, later.Calls).ShouldBe((GatePass.Inside, 1));
        edge.Cancel();
        gate.Enter(edge).ShouldBe(GatePass.Cancelled);
        gate.Leave(sharing);
        gate.Leave(later);
    }

    [Fact]
    public async Task Edges_and_blocks_never_meet_and_none_starves()
    {
        DirectWriteGate gate = Take();
        int shared = 0;
        int exclusive = 0;
        int both = 0;
        await Task.WhenAll(Enumerable.Range(0, 6).Select(n => Task.Run(async () =>
        {
            Visitor visitor = new(exclusive: n % 2 == 0);
            for (int i = 0; i < 1000; i++)
            {
                visitor.Begin();
                if (gate.Enter(visitor) == GatePass.Waiting)
                {
                    await visitor.Called;
                }

                if (n % 2 == 0)
                {
                    Count(Interlocked.Increment(ref exclusive) > 1 || Volatile.Read(ref shared) > 0);
                    Interlocked.Decrement(ref exclusive);
                }
                else
                {
                    Interlocked.Increment(ref shared);
                    Count(Volatile.Read(ref exclusive) > 0);
                    Interlocked.Decrement(ref shared);
                }

                gate.Leave(visitor);
            }
        })));
        both.ShouldBe(0);

        void Count(bool isMeeting)
        {
            if (isMeeting)
            {
                Interlocked.Increment(ref both);
            }
        }
    }

    private DirectWriteGate Take() => DirectWriteGate.Of(ulong.MaxValue, _inode);

    private sealed class Visitor : GateVisitor
    {
        private TaskCompletionSource _called = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private bool _isCancelled;

        public Visitor(bool exclusive = false) => IsExclusive = exclusive;

        public int Calls { get; private set; }

        public Task Called => _called.Task;

        public override bool IsCancellationRequested => _isCancelled;

        public void Begin() => _called = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

        public void Cancel() => _isCancelled = true;

        public override void OnAdmitted()
        {
            Calls++;
            _called.TrySetResult();
        }
    }
}
