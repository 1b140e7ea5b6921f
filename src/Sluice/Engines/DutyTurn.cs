namespace Sluice.Engines;

/// <summary>One thread's turn at running what has completed in a ring: as the holder of the role or beside it. One thread's own.</summary>
internal sealed class DutyTurn
{
    /// <summary>The engine whose continuations this thread runs now; null between two turns.</summary>
    public UringEngine? Engine { get; set; }

    /// <summary>What this thread leads as; 0 where it does not.</summary>
    public int Role { get; set; }

    /// <summary>It has led in this turn, and may have gathered entries.</summary>
    public bool HasLed { get; set; }

    /// <summary>What follows the step that was asked for last.</summary>
    public DutyStep After { get; set; }

    /// <summary>How often in a row the pool had other work at the end of a batch.</summary>
    public int TimesWanted { get; set; }

    /// <summary>How long this thread has been busy submitting since the last continuation began, in ticks: not the caller's time.</summary>
    public long SubmitTicks { get; set; }
}

/// <summary>The completion thread's: which leader it watches, and the step that it saw last.</summary>
internal sealed class WatchTurn
{
    public int Role { get; set; }

    public int Beat { get; set; }
}
