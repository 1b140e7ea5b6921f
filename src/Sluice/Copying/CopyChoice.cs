using System.Diagnostics;
using System.Globalization;
using Sluice.Kernel;

namespace Sluice.Copying;

/// <summary>
/// Which of several ways a large file is copied by, found out while it is copied: each way has turns on the first parts of the file, the
/// fastest one goes on, and the others are tried again now and then, and when that becomes slow. It makes no system call and reads no
/// clock. Belongs to one thread.
/// </summary>
/// <param name="ways">How many there are, in the order of preference: a later one is taken where it gains more than a twentieth.</param>
/// <param name="unit">
/// Bytes of the first turn of the last way; the others' first turns have half of it, those of the chosen way eight times as much.
/// </param>
/// <param name="length">Bytes of the file.</param>
/// <param name="beginning">
/// Bytes at the beginning of each turn of the last way that say nothing of it: the page cache's read-ahead is behind at first where another
/// way has read.
/// </param>
internal sealed class CopyChoice(int ways, long unit, long length, long beginning)
{
    /// <summary>What a less preferred way must gain.</summary>
    private const double Margin = 1.05;

    /// <summary>A way between the first and the last has no turn where the first had so many times the time of another.</summary>
    private const double Hopeless = 3;

    /// <summary>A way with no more than so many times the time of another in its first turn is compared once more, in a long one.</summary>
    private const double Close = 1.25;

    /// <summary>A way whose beginning has so many times the time of another is left there.</summary>
    private const double HopelessBeginning = 4;

    /// <summary>
    /// Bytes after which a way that is not the chosen one has a turn again, in turns of the comparison: what it gave last may have been
    /// chance, or be over.
    /// </summary>
    private const int UnitsBetweenTries = 64;

    /// <summary>Of the file, what looking again at ways that were slow in their first turn may cost with the comparison.</summary>
    private const double ComparisonShare = 1 / 24.0;

    /// <summary>What the first turns count for in it at most, whatever they cost: a pause of the device is paid already.</summary>
    private const double FirstTurnsShare = ComparisonShare / 2;

    /// <summary>Of what was copied, what later turns of ways that are not chosen may cost.</summary>
    private const double TryShare = 1 / 48.0;


    /// <summary>What that must give, in times of the first turn, for the second one to follow.</summary>
    private const double GlanceGain = 2;

    /// <summary>A turn that says what a way gives in the long run; of a file of 512 MiB a smaller part.</summary>
    private readonly long _longTurn = Math.Clamp(length / Tuning.CopyChoiceLongTurnPart, unit, Tuning.CopyChoiceLongTurnUnits * unit);
    private readonly double[] _rates = new double[ways];
    private readonly bool[] _isOut = new bool[ways];
    private readonly long[] _bytes = new long[ways];

    /// <summary>Where in the copy each way's last turn ended.</summary>
    private readonly long[] _triedAt = new long[ways];
    private long _copied;
    private int _step = -1;
    private long _left;
    private long _leftAfterBeginning;
    private long _turnBytes;
    private long _turnTicks;
    private long _trialBytes;
    private long _trialTicks;

    /// <summary>Bytes that the fastest way would have copied in the time of all turns of ways that were not chosen.</summary>
    private double _lost;
    private bool _isSecondLook;

    /// <summary>Bytes of the second look that follows the glance, if that was quick; 0: this is no glance.</summary>
    private long _afterGlance;
    private int _chosen = -1;

    /// <summary>The way that the next bytes go.</summary>
    public int Way { get; private set; }

    /// <summary>The way that most bytes went.</summary>
    public int Most => Array.IndexOf(_bytes, _bytes.Max());

    /// <summary>Bytes that are left of the turn; the last piece may be larger.</summary>
    public long Left
    {
        get
        {
            if (_left <= 0)
            {
                StartTurn();
            }

            return _left;
        }
    }

    /// <summary>The way has copied so much in so much time (ticks of <see cref="Stopwatch"/>).</summary>
    public void Add(long bytes, long ticks)
    {
        _bytes[Way] += bytes;
        _copied += bytes;
        _left -= bytes;
        _turnBytes += bytes;
        _turnTicks += ticks;
        _trialBytes += bytes;
        _trialTicks += ticks;
        if (_left > 0)
        {
            return;
        }

        double rate = _turnBytes * (double)Stopwatch.Frequency / Math.Max(_turnTicks, 1);
        if (_leftAfterBeginning > 0 && rate * HopelessBeginning >= _rates.Max())
        {
            (_left, _leftAfterBeginning, _turnBytes, _turnTicks) = (_leftAfterBeginning, 0, 0, 0);
            return;
        }

        if (_afterGlance > 0 && IsWorthALook(rate))
        {
            (_turnBytes, _turnTicks) = (0, 0);
            (_left, _leftAfterBeginning) = Way == ways - 1 && beginning > 0 ? (beginning, _afterGlance) : (_afterGlance, 0);
            _afterGlance = 0;
            return;
        }

        // A pause makes a way slower than it is; nothing makes it faster for long.
        _rates[Way] = _isSecondLook ? Math.Max(_rates[Way], rate) : rate;
        _triedAt[Way] = _copied;
    }

    /// <summary>The way does not work here.</summary>
    public void Drop(int way)
    {
        _isOut[way] = true;
        _rates[way] = 0;
        _left = way == Way ? 0 : _left;
    }

    /// <summary>What was measured, in one line; more names than ways may be given.</summary>
    public string Describe(string[] names)
    {
        if (_rates.Max() <= 0)
        {
            return "there was too little data to measure ways by";
        }

        IEnumerable<string> figures = names.Take(ways).Select((name, way) => (name, way)).Where(n => _rates[n.way] > 0)
            .Select(n => $"{n.name} {(_rates[n.way] / (1 << 20)).ToString("N0", CultureInfo.InvariantCulture)}");
        return $"measured on its parts, MiB/s: {string.Join(", ", figures)}";
    }

    private long Glance => unit / Tuning.CopyChoiceGlancePart;

    private void StartTurn()
    {
        (_isSecondLook, _afterGlance) = (false, 0);
        if (_step >= ways)
        {
            CountLost();
        }

        // First the most and the least preferred, which differ most; then those of them that were slow once more, for that may have been a
        // pause of the device; then the fast ones for longer, in the opposite order, so that what changes while ways are compared is no
        // way's gain.
        while (++_step < 3 * ways)
        {
            int round = _step / ways;
            if (_step == ways)
            {
                // Not before: which way is the fastest is not known until all have had a turn.
                CountLost();
                _lost = Math.Min(_lost, FirstTurnsShare * length);
            }

            int place = round == 0 ? _step : ((round + 1) * ways) - 1 - _step;
            int way = place == 0 ? 0 : ways - place;
            long firstTurn = way == ways - 1 ? unit : unit / 2;
            double times = TimesSlower(way);
            bool isDue = round switch
            {
                0 => times <= Hopeless,
                1 => times > Close && (way == 0 || way == ways - 1),
                _ => times <= Close,
            };
            if (!isDue || _isOut[way])
            {
                continue;
            }

            if (round != 1 || IsAffordable(way, WithBeginning(way, firstTurn), ComparisonShare * length))
            {
                Start(way, round < 2 ? firstTurn : _longTurn);
                _isSecondLook = round == 1;
                return;
            }

            if (IsAffordable(way, Glance, ComparisonShare * length))
            {
                Start(way, Glance);
                (_left, _leftAfterBeginning, _afterGlance, _isSecondLook) = (Glance, 0, firstTurn, true);
                return;
            }
        }

        // A way that the chosen one has fallen behind is tried before it is chosen: its figure is old.
        int best = Best();
        bool wasTry = Way != _chosen;
        int other = best != _chosen ? best : LongestUntried(best);
        if (_chosen >= 0 && !wasTry && other >= 0)
        {
            Start(other, TimesSlower(other) < Close ? _longTurn : unit);
            return;
        }

        Start(best, 8 * unit);
        _chosen = best;
    }

    private void CountLost()
    {
        _lost += Way == _chosen ? 0 : Math.Max(0, (_trialTicks * _rates.Max() / Stopwatch.Frequency) - _trialBytes);
        (_trialBytes, _trialTicks) = (0, 0);
    }

    private void Start(int way, long bytes)
    {
        (_turnBytes, _turnTicks) = (0, 0);
        bool hasBeginning = way == ways - 1 && way != Way && beginning > 0;
        (Way, _left, _leftAfterBeginning) = (way, hasBeginning ? beginning : bytes, hasBeginning ? bytes : 0);
    }

    /// <summary>
    /// How many times the time of the fastest way this one takes; 0 where neither it is known nor, for a way between the first and the
    /// last, the first one, which is the same in another size.
    /// </summary>
    private double TimesSlower(int way)
    {
        double rate = _rates[way] > 0 ? _rates[way] : way > 0 && way < ways - 1 ? _rates[0] : 0;
        return rate > 0 ? _rates.Max() / rate : 0;
    }

    private bool IsAffordable(int way, long bytes, double allowed) => _lost + ((TimesSlower(way) - 1) * bytes) <= allowed;

    private long WithBeginning(int way, long bytes) => bytes + (way == ways - 1 ? beginning : 0);

    /// <summary>The glance, of too few bytes to tell a rate, was so much quicker than the first turn that this was by chance.</summary>
    private bool IsWorthALook(double rate) => rate >= _rates[Way] * GlanceGain
        && _lost + (((_rates.Max() / rate) - 1) * WithBeginning(Way, _afterGlance)) <= ComparisonShare * length;

    /// <summary>The preferred one of the fast ways.</summary>
    private int Best()
    {
        int best = -1;
        for (int way = 0; way < ways; way++)
        {
            if (!_isOut[way] && (best < 0 || _rates[way] > _rates[best] * Margin))
            {
                best = way;
            }
        }

        return best;
    }

    /// <summary>Of the ways that had no turn for long, and whose next one is not dear, the one with the oldest; -1: none.</summary>
    private int LongestUntried(int best)
    {
        double allowed = (ComparisonShare * length / 2) + (TryShare * _copied);
        int oldest = -1;
        for (int way = 0; way < ways; way++)
        {
            double times = TimesSlower(way);
            if (way != best && !_isOut[way] && _copied - _triedAt[way] >= UnitsBetweenTries * unit
                && (oldest < 0 || _triedAt[way] < _triedAt[oldest])
                && (times <= Hopeless || _rates[way] > 0) && IsAffordable(way, WithBeginning(way, unit), allowed))
            {
                oldest = way;
            }
        }

        return oldest;
    }
}
