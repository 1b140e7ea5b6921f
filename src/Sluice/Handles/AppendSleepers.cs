using System.Diagnostics;
using Sluice.Kernel;

namespace Sluice.Handles;

/// <summary>
/// The requests of an <see cref="AppendCombiner"/> whose threads fell asleep, oldest first. To wake a thread takes longer than a short
/// append: a leader that woke all of them would do nothing else. So one is served at a time, and the next one when that is awake. Where
/// a call takes longer than to wake all whom it serves, as on a file that is written through, all of them share the next one.
/// </summary>
/// <remarks>For whoever leads, but for <see cref="IsDue"/> and <see cref="NoteAwake"/>, which are anybody's.</remarks>
internal sealed class AppendSleepers
{
    /// <summary>So many calls in a row are long before calls are taken for long: who leads may lose the processor in one.</summary>
    private const int LongCalls = 2;

    private static readonly long s_longTicks = Tuning.AppendSharedCallMicroseconds * Stopwatch.Frequency / 1_000_000;

    private AppendRequest? _first;
    private AppendRequest? _last;

    /// <summary>1 from when one of them is served until a thread that slept is awake.</summary>
    private int _isWaking;

    /// <summary>How many calls in a row were long; as if they had been before the first that is measured.</summary>
    private int _longCalls = LongCalls;
    private bool _isMeasured;

    /// <summary>Whether somebody sleeps, and nobody is being woken. To be asked behind a full fence.</summary>
    public bool IsDue => Volatile.Read(ref _first) is not null && Volatile.Read(ref _isWaking) == 0;

    /// <summary>By each thread that slept, as soon as it is awake: the next one may be woken. A full fence.</summary>
    public void NoteAwake() => Interlocked.Exchange(ref _isWaking, 0);

    /// <summary>Sets those aside who sleep, and returns whom to serve now: those of them whose turn it is, and all who are awake.</summary>
    /// <param name="came">Who came, newest first.</param>
    /// <returns>Oldest first.</returns>
    public AppendRequest? Choose(AppendRequest? came)
    {
        AppendRequest? awake = null;
        AppendRequest? asleep = null;
        AppendRequest? lastAsleep = null;
        while (came is not null)
        {
            AppendRequest? next = came.Next;
            if (came.State == AppendState.Parked)
            {
                came.Next = asleep;
                asleep = came;
                lastAsleep ??= came;
            }
            else
            {
                came.Next = awake;
                awake = came;
            }

            came = next;
        }

        if (asleep is not null)
        {
            Add(asleep, lastAsleep!);
        }

        _isMeasured = _last is not null;
        return TakeDue(awake);
    }

    /// <summary>Before a call: when it begins, if somebody sleeps, else 0.</summary>
    public long Begin() => _isMeasured ? Stopwatch.GetTimestamp() : 0;

    /// <summary>After it.</summary>
    /// <param name="begin">What <see cref="Begin"/> said.</param>
    /// <param name="count">The requests that it served: many of them make a call long, and none of them so long.</param>
    public void End(long begin, int count)
    {
        if (begin != 0)
        {
            bool isLong = Stopwatch.GetTimestamp() - begin >= s_longTicks * count;
            _longCalls = isLong ? Math.Min(_longCalls + 1, LongCalls) : 0;
        }
    }

    private void Add(AppendRequest first, AppendRequest last)
    {
        if (_last is null)
        {
            Volatile.Write(ref _first, first);
        }
        else
        {
            _last.Next = first;
        }

        _last = last;
    }

    /// <summary>None while somebody is being woken, one, or all; the others are behind them.</summary>
    private AppendRequest? TakeDue(AppendRequest? others)
    {
        if (_first is not { } first)
        {
            return others;
        }

        if (_longCalls == LongCalls)
        {
            _last!.Next = others;
            _last = null;
            Volatile.Write(ref _first, null);
            return first;
        }

        if (Volatile.Read(ref _isWaking) != 0)
        {
            return others;
        }

        Volatile.Write(ref _isWaking, 1);
        Volatile.Write(ref _first, first.Next);
        if (first.Next is null)
        {
            _last = null;
        }

        first.Next = others;
        return first;
    }
}
