using Sluice.Kernel;

namespace Sluice.Engines;

/// <summary>
/// Determines whether continuations take long: their moving average is long, or one has recently blocked a leader. A continuation longer
/// than the average has a weight of 1/8, and counts as at most six times a long one; a shorter one has a weight of 1/128. Races between
/// threads lose a sample, nothing else.
/// </summary>
/// <param name="longTicks">The duration from which a continuation is long.</param>
internal struct ContinuationGauge(long longTicks)
{
    /// <summary>The addend that rounds up, so that a short continuation always lowers the average.</summary>
    private const long RoundsUp = (1 << Tuning.ContinuationFallShift) - 1;

    private LeaderPenalty _caution;
    private long _ticks;
    private bool _isCautious;

    public readonly bool IsLong => Volatile.Read(in _ticks) > longTicks || Volatile.Read(in _isCautious);

    /// <inheritdoc cref="IsLong"/>
    /// <param name="nowMs">The value of <see cref="Environment.TickCount64"/>.</param>
    public bool IsLongAt(long nowMs)
    {
        if (Volatile.Read(ref _isCautious) && _caution.IsOver(nowMs))
        {
            Volatile.Write(ref _isCautious, false);
        }

        return IsLong;
    }

    /// <summary>Adds the duration of a continuation to the average.</summary>
    public void Measure(long ticks)
    {
        long average = _ticks;
        _ticks = ticks > average
            ? average + ((Math.Min(ticks, longTicks * Tuning.ContinuationMaxTimesLong) - average) >> Tuning.ContinuationRiseShift)
            : average - ((average + RoundsUp) >> Tuning.ContinuationFallShift);
    }

    /// <summary>Notes that a continuation has blocked a leader. Called by one thread at a time.</summary>
    public void NoteStuck(long nowMs)
    {
        _caution.Begin(nowMs);
        Volatile.Write(ref _isCautious, true);
    }
}

/// <summary>
/// The time for which continuations are treated as long after one has blocked a leader: short at first, doubled each time, and short again
/// after some time without a blocked leader. Times are values of <see cref="Environment.TickCount64"/>. One thread writes, others may read.
/// </summary>
internal struct LeaderPenalty
{
    private long _endMs;
    private int _lengthMs;

    public readonly bool IsOver(long nowMs) => nowMs >= Volatile.Read(in _endMs);

    public void Begin(long nowMs)
    {
        bool isFirst = _lengthMs == 0 || nowMs - _endMs > Tuning.PenaltyForgivenAfterMs;
        _lengthMs = isFirst ? Tuning.FirstPenaltyMs : Math.Min(_lengthMs * 2, Tuning.LongestPenaltyMs);
        Volatile.Write(ref _endMs, nowMs + _lengthMs);
    }
}
