namespace Sluice.Tests.Engines;

public sealed class DirectWriteGateTests
{
    private static ulong s_inode = 1_000_000;

    private readonly ulong _inode = Interlocked.Increment(ref s_inode);

    [Fact]
    public void One_file_has_one_gate_while_it_is_used()
    {
        DirectWriteGate gate = Acquire();
        Acquire().ShouldBeSameAs(gate);
        gate.Release();
        Acquire().ShouldBeSameAs(gate);
        gate.Release();
        gate.Release();
        DirectWriteGate next = Acquire();
        next.ShouldNotBeSameAs(gate);
        next.Release();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_gate_that_is_held_outlives_its_users_and_no_longer(bool exclusive)
    {
        DirectWriteGate gate = Acquire();
        if (exclusive)
        {
            gate.EnterExclusive();
        }
        else
        {
            gate.EnterShared();
        }

        gate.Release();
        Acquire().ShouldBeSameAs(gate);
        gate.Release();
        if (exclusive)
        {
            gate.ExitExclusive();
        }
        else
        {
            gate.ExitShared();
        }

        DirectWriteGate next = Acquire();
        next.ShouldNotBeSameAs(gate);
        next.Release();
    }

    [Fact]
    public void Many_share_it_and_one_keeps_all_out()
    {
        DirectWriteGate gate = Acquire();
        gate.EnterShared();
        gate.TryEnterShared().ShouldBeTrue();
        gate.ExitShared();
        gate.ExitShared();
        gate.EnterExclusive();
        gate.TryEnterShared().ShouldBeFalse();
        gate.ExitExclusive();
        gate.TryEnterShared().ShouldBeTrue();
        gate.ExitShared();
        gate.Release();
    }

    [Fact]
    public void Edges_and_blocks_never_meet_and_none_starves()
    {
        DirectWriteGate gate = Acquire();
        int shared = 0;
        int exclusive = 0;
        int both = 0;
        Parallel.For(0, 6, new ParallelOptions { MaxDegreeOfParallelism = 6 }, n =>
        {
            for (int i = 0; i < 1000; i++)
            {
                if (n % 2 == 0)
                {
                    gate.EnterExclusive();
                    both += Interlocked.Increment(ref exclusive) > 1 || Volatile.Read(ref shared) > 0 ? 1 : 0;
                    Interlocked.Decrement(ref exclusive);
                    gate.ExitExclusive();
                }
                else if (i % 2 == 0 || !gate.TryEnterShared())
                {
                    gate.EnterShared();
                    Share();
                }
                else
                {
                    Share();
                }
            }
        });
        both.ShouldBe(0);
        gate.Release();

        void Share()
        {
            Interlocked.Increment(ref shared);
            if (Volatile.Read(ref exclusive) > 0)
            {
                Interlocked.Increment(ref both);
            }

            Interlocked.Decrement(ref shared);
            gate.ExitShared();
        }
    }

    [Fact]
    public void An_interrupted_edge_lets_the_blocks_pass()
    {
        DirectWriteGate gate = Acquire();
        gate.EnterShared();
        Exception? fromEnter = null;
        var edge = new Thread(() => fromEnter = Record.Exception(gate.EnterExclusive));
        edge.Start();
        SpinWait.SpinUntil(() => (edge.ThreadState & ThreadState.WaitSleepJoin) != 0);
        edge.Interrupt();
        edge.Join();
        fromEnter.ShouldBeOfType<ThreadInterruptedException>();
        gate.TryEnterShared().ShouldBeTrue();
        gate.ExitShared();
        gate.ExitShared();
        gate.EnterExclusive();
        gate.ExitExclusive();
        gate.Release();
    }

    private DirectWriteGate Acquire() => DirectWriteGate.Acquire(ulong.MaxValue, _inode);
}
