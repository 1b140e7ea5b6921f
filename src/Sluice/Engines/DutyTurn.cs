using System.Diagnostics;

namespace Sluice.Engines;

/// <summary>One thread's turn at running what has completed in a ring: as the holder of the role or beside it. One thread's own.</summary>
internal sealed class DutyTurn
{
    private long _began;
    private long _ended;
    private long _submitting;

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

    /// <summary>A turn begins on this thread.</summary>
    public void Begin(UringEngine engine)
    {
        Engine = engine;
        Role = CompletionDuty.CompletionThread;
        Pause();
    }

    /// <summary>Caller's code begins; right behind other such code the end of that is the beginning, and the clock is not read.</summary>
    public void BeginRun()
    {
        _submitting = 0;
        _began = _ended > 0 ? _ended : Stopwatch.GetTimestamp();
    }

    /// <summary>Caller's code has ended. Returns what it took, in ticks, without what it was busy submitting.</summary>
    public long EndRun()
    {
        _ended = Stopwatch.GetTimestamp();
        return _ended - _began - _submitting;
    }

    /// <summary>Something else than caller's code comes now.</summary>
    public void Pause() => _ended = 0;

    /// <summary>Caller's code has been submitting since then: that is not its time.</summary>
    public void NoteSubmission(long began) => _submitting += Stopwatch.GetTimestamp() - began;
}

/// <summary>The completion thread's: which leader it watches, and the step that it saw last.</summary>
internal sealed class WatchTurn
{
    public int Role { get; set; }

    public int Beat { get; set; }
}
