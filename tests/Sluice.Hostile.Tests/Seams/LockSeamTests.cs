using Sluice.Memory;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>.NET's locks need memory where they are waited for.</summary>
public sealed class LockSeamTests : HostileTests
{
    public override void Dispose()
    {
        Seam.Use(null);
        base.Dispose();
    }

    /// <summary>A log's own threads take theirs so.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_lock_outlasts_a_want_of_memory(bool isLeftElsewhere)
    {
        SkipWithoutSeams();
        Lock gate = new();
        int lacks = 0;
        Seam.Use(kind =>
        {
            if (kind == SeamKind.Wait && lacks++ == 0)
            {
                throw new OutOfMemoryException();
            }
        });
        if (isLeftElsewhere)
        {
            gate.LockUninterrupted();
        }
        else
        {
            _ = gate.EnterUninterrupted();
        }

        Seam.Use(null);
        lacks.ShouldBeGreaterThan(0);
        gate.IsHeldByCurrentThread.ShouldBeTrue();
        gate.Exit();
    }

    /// <summary>Whoever has the gate of a stream awaits such a task, and nobody else looks after it.</summary>
    [SkippableFact]
    public void A_task_is_ended_also_where_there_is_no_memory_for_it_at_first()
    {
        SkipWithoutSeams();
        TaskCompletionSource source = new();
        int lacks = 0;
        Seam.Use(kind =>
        {
            if (kind == SeamKind.Wait && lacks++ == 0)
            {
                throw new OutOfMemoryException();
            }
        });
        source.EndUninterrupted();
        Seam.Use(null);
        lacks.ShouldBeGreaterThan(0);
        source.Task.IsCompleted.ShouldBeTrue();
    }
}
