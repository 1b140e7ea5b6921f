using Sluice.Kernel;

namespace Sluice.Engines;

/// <summary>
/// How long leaders are not wanted after one was stuck in a caller's continuation while others waited: little at first, twice as long
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
