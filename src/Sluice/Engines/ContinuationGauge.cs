using Sluice.Kernel;

namespace Sluice.Engines;

/// <summary>
/// Whether continuations take long: they have lately cost much on average (an eighth of a long one counts at once, up to six times what is
/// long, and is forgotten within a few hundred short ones), or one has lately been stuck while others waited. Races between threads lose a
/// sample, nothing else.
/// </summary>
/// <param name="longTicks">From here on a continuation is long.</param>
internal struct ContinuationGauge(long longTicks)
{
    /// <summary>However small the average is, a short one takes something from it.</summary>
    private const long RoundsUp = (1 << Tuning.ContinuationFallShift) - 1;

    private LeaderPenalty _caution;
    private long _ticks;
    private bool _isCautious;

    public readonly bool IsLong => Volatile.Read(in _ticks) > longTicks || Volatile.Read(in _isCautious);

    /// <inheritdoc cref="IsLong"/>
    /// <param name="nowMs">The time, as <see cref="Environment.TickCount64"/> counts it: caution has an end.</param>
    public bool IsLongAt(long nowMs)
    {
        if (Volatile.Read(ref _isCautious) && _caution.IsOver(nowMs))
        {
            Volatile.Write(ref _isCautious, false);
        }

        return IsLong;
    }

    /// <summary>Books what one continuation took.</summary>
    public void Measure(long ticks)
    {
        long average = _ticks;
        _ticks = ticks > average
            ? average + ((Math.Min(ticks, longTicks * Tuning.ContinuationMaxTimesLong) - average) >> Tuning.ContinuationRiseShift)
            : average - ((average + RoundsUp) >> Tuning.ContinuationFallShift);
    }

    /// <summary>One was stuck. For one thread at a time.</summary>
    public void NoteStuck(long nowMs)
    {
        _caution.Begin(nowMs);
        Volatile.Write(ref _isCautious, true);
    }
}

/// <summary>
/// How long continuations are taken for long ones after a leader was stuck in one while others waited: little at first, twice as long
/// each time, and little again after a while without, since a continuation that is slow once must not cost more than it held up.
/// Times are those of <see cref="Environment.TickCount64"/>. One thread writes; others may ask.
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
