using System.Diagnostics;
using System.Globalization;

namespace Sluice.Copying;

/// <summary>
/// Which of several ways a large file is copied by, found out while it is copied: each way has turns on the first parts of the file, the
/// fastest one goes on, and another one is tried again when that becomes slow. It makes no system call and reads no clock. Belongs to one
/// thread.
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

    /// <summary>A way that has so many times the time of another in its first turn is not tried again.</summary>
    private const double Hopeless = 3;

    /// <summary>A way with no more than so many times the time of another in its first turn is compared once more, in a long one.</summary>
    private const double Close = 1.25;

    /// <summary>A way whose beginning has so many times the time of another is left there.</summary>
    private const double HopelessBeginning = 4;

    /// <summary>
    /// Bytes after which the second best way has a turn again, in turns of the comparison, unless it is hopeless: what it gave last may
    /// have been chance, or be over.
    /// </summary>
    private const int UnitsBetweenTries = 64;

    /// <summary>A turn that says what a way gives in the long run; of a file of 512 MiB a smaller part.</summary>
    private readonly long _longTurn = Math.Clamp(length / 16, unit, 4 * unit);
    private readonly double[] _rates = new double[ways];
    private readonly bool[] _isOut = new bool[ways];
    private readonly long[] _bytes = new long[ways];
    private int _step = -1;
    private long _left;
    private long _leftAfterBeginning;
    private long _turnBytes;
    private long _turnTicks;
    private long _sinceTry;
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
        _left -= bytes;
        _turnBytes += bytes;
        _turnTicks += ticks;
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

        _rates[Way] = rate;
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

    private void StartTurn()
    {
        (_turnBytes, _turnTicks) = (0, 0);

        // First the most and the least preferred, which differ most; the second turns in the opposite order, so that what changes while
        // ways are compared is no way's gain.
        while (++_step < 2 * ways)
        {
            bool isFirst = _step < ways;
            int place = isFirst ? _step : (2 * ways) - 1 - _step;
            int way = place == 0 ? 0 : ways - place;
            if (!_isOut[way] && !IsBehind(way, isFirst ? Hopeless : Close))
            {
                Start(way, !isFirst ? _longTurn : way == ways - 1 ? unit : unit / 2);
                return;
            }
        }

        // A way that the chosen one has fallen behind is tried before it is chosen: its figure is old.
        int best = Best(except: -1);
        bool wasTry = Way != _chosen;
        int other = best != _chosen ? best : _sinceTry >= UnitsBetweenTries * unit ? Best(except: best) : -1;
        if (_chosen >= 0 && !wasTry && other >= 0 && _rates[other] * Hopeless > _rates[best])
        {
            Start(other, _rates[other] * Close > _rates[best] ? _longTurn : unit);
            _sinceTry = 0;
            return;
        }

        Start(best, 8 * unit);
        _chosen = best;
        _sinceTry += 8 * unit;
    }

    private void Start(int way, long bytes)
    {
        bool hasBeginning = way == ways - 1 && way != Way && beginning > 0;
        (Way, _left, _leftAfterBeginning) = (way, hasBeginning ? beginning : bytes, hasBeginning ? bytes : 0);
    }

    /// <summary>A way between the first and the last that has had no turn is the first one in another size, and judged by it.</summary>
    private bool IsBehind(int way, double times)
    {
        double rate = _rates[way] > 0 ? _rates[way] : way > 0 && way < ways - 1 ? _rates[0] : 0;
        return rate > 0 && rate * times < _rates.Max();
    }

    /// <summary>The preferred one of the fast ways; -1 where there is none.</summary>
    private int Best(int except)
    {
        int best = -1;
        for (int way = 0; way < ways; way++)
        {
            if (way != except && !_isOut[way] && (best < 0 || _rates[way] > _rates[best] * Margin))
            {
                best = way;
            }
        }

        return best;
    }
}
