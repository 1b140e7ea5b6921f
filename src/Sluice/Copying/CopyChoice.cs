using System.Diagnostics;
using System.Globalization;

namespace Sluice.Copying;

/// <summary>
/// Which of several ways a large file is copied by, found out while it is copied: each way has turns on the first parts of the file, the
/// fastest one goes on, and another one is tried again when that becomes slow. It makes no system call and reads no clock. Belongs to one
/// thread.
/// </summary>
/// <param name="ways">How many there are, in the order of preference: a later one is taken where it gains more than a twentieth.</param>
/// <param name="unit">Bytes; the first turn of each way is half of it, the chosen one's turns are eight times as long.</param>
/// <param name="length">Bytes of the file.</param>
internal sealed class CopyChoice(int ways, long unit, long length)
{
    /// <summary>What a less preferred way must gain.</summary>
    private const double Margin = 1.05;

    /// <summary>A way that has so many times the time of another in its first turn is not tried again.</summary>
    private const double Hopeless = 3;

    /// <summary>
    /// A way that has no more than so many times the time of another in its first turn is compared once more, in a long turn: a way may
    /// need a while to begin, as the page cache does, whose read-ahead is behind at first.
    /// </summary>
    private const double Close = 1.75;

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
        if (_left <= 0)
        {
            _rates[Way] = _turnBytes * (double)Stopwatch.Frequency / Math.Max(_turnTicks, 1);
        }
    }

    /// <summary>The way does not work here.</summary>
    public void Drop(int way)
    {
        _isOut[way] = true;
        _rates[way] = 0;
        _left = way == Way ? 0 : _left;
    }

    /// <summary>What was measured, in one line.</summary>
    public string Describe(string[] names)
    {
        if (_rates.Max() <= 0)
        {
            return "there was too little data to measure ways by";
        }

        IEnumerable<string> figures = names.Select((name, way) => (name, way)).Where(named => _rates[named.way] > 0)
            .Select(named => $"{named.name} {(_rates[named.way] / (1 << 20)).ToString("N0", CultureInfo.InvariantCulture)}");
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
                (Way, _left) = (way, isFirst ? unit / 2 : _longTurn);
                return;
            }
        }

        // A way that the chosen one has fallen behind is tried before it is chosen: its figure is old.
        int best = Best(except: -1);
        bool wasTry = Way != _chosen;
        int other = best != _chosen ? best : _sinceTry >= UnitsBetweenTries * unit ? Best(except: best) : -1;
        if (_chosen >= 0 && !wasTry && other >= 0 && _rates[other] * Hopeless > _rates[best])
        {
            (Way, _left, _sinceTry) = (other, _rates[other] * Close > _rates[best] ? _longTurn : unit, 0);
            return;
        }

        (Way, _chosen, _left) = (best, best, 8 * unit);
        _sinceTry += _left;
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
