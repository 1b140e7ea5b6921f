using Sluice.Log.Stages;

namespace Sluice.Log.Tests;

/// <summary>Who has slept, and whose wait has ended, is woken: by the one before it, or with all others.</summary>
public sealed class WaiterListTests
{
    [Fact]
    public void One_by_one_whoever_is_awake_wakes_the_next_and_the_oldest_first()
    {
        WaiterList list = new(mostWaking: 1);
        SyncWaiter[] early = [Sleeper(list, 1), Sleeper(list, 2)];
        list.Complete(2);
        SyncWaiter late = Sleeper(list, 3);
        list.Complete(3);
        list.HasSleepers.ShouldBeFalse();
        list.WakeEnded();
        list.WakeEnded();
        early.Count(static w => w.IsDone).ShouldBe(1);
        list.NoteAwake();
        early.Count(static w => w.IsDone).ShouldBe(2);
        late.IsDone.ShouldBeFalse();
        list.NoteAwake();
        late.IsDone.ShouldBeTrue();

        // Nobody is being woken any more.
        list.NoteAwake();
        SyncWaiter another = Sleeper(list, 4);
        list.Complete(4);
        list.WakeEnded();
        another.IsDone.ShouldBeTrue();
    }

    [Fact]
    public void As_many_are_being_woken_as_may_be()
    {
        WaiterList list = new(mostWaking: 2);
        SyncWaiter[] sleepers = [.. Enumerable.Range(1, 5).Select(target => Sleeper(list, target))];
        list.Complete(5);
        list.WakeEnded();
        sleepers.Count(static w => w.IsDone).ShouldBe(2);
        list.NoteAwake();
        sleepers.Count(static w => w.IsDone).ShouldBe(3);
        list.NoteAwake();
        list.NoteAwake();
        sleepers.ShouldAllBe(static w => w.IsDone);
    }

    /// <summary>Who is to wake the next may be the thread that leads, and waits for a place to be filled.</summary>
    [Fact]
    public void Who_waits_for_a_place_wakes_all_whoever_was_to_wake_them()
    {
        WaiterList list = new(mostWaking: 1);
        SyncWaiter[] sleepers = [.. Enumerable.Range(1, 4).Select(target => Sleeper(list, target))];
        list.Complete(3);
        list.WakeEnded();
        sleepers.Count(static w => w.IsDone).ShouldBe(1);
        list.Complete(4);
        list.WakeAllEnded();
        sleepers.ShouldAllBe(static w => w.IsDone);
        Array.ForEach(sleepers, _ => list.NoteAwake());
        SyncWaiter another = Sleeper(list, 5);
        list.Complete(5);
        list.WakeEnded();
        another.IsDone.ShouldBeTrue();
    }

    [Fact]
    public void Else_all_are_woken_at_once()
    {
        WaiterList list = new();
        SyncWaiter[] sleepers = [Sleeper(list, 1), Sleeper(list, 2), Sleeper(list, 3)];
        list.Complete(2);
        list.WakeEnded();
        sleepers.Select(static w => w.IsDone).ShouldBe([true, true, false]);
    }

    /// <summary>There may be no memory for the text of an exception.</summary>
    [Fact]
    public void Where_no_error_can_be_made_each_is_told_what_came_of_that()
    {
        WaiterList list = new(mostWaking: 4);
        SyncWaiter[] sleepers = [.. Enumerable.Range(1, 3).Select(target => Sleeper(list, target))];
        list.Fail(1, static (_, _) => throw new OutOfMemoryException("no text"));
        list.WakeEnded();
        sleepers[0].IsDone.ShouldBeFalse();
        foreach (SyncWaiter waiter in sleepers[1..])
        {
            waiter.IsDone.ShouldBeTrue();
            Should.Throw<OutOfMemoryException>(waiter.ThrowIfFailed).Message.ShouldBe("no text");
        }

        list.Complete(1);
        list.WakeEnded();
        sleepers[0].IsDone.ShouldBeTrue();
    }

    private static SyncWaiter Sleeper(WaiterList list, long target)
    {
        SyncWaiter waiter = new();
        waiter.Begin(target, 0, default);
        list.Push(waiter);
        waiter.TryPark().ShouldBeTrue();
        list.AddSleeper();
        return waiter;
    }
}
