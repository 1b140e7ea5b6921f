using Sluice.Kernel;

namespace Sluice.Sequential;

/// <summary>
/// Chooses request size and queue depth while a file is read or written: it starts small, goes up a step while that makes the device
/// faster, and settles where it does not. Time comes in from outside, so that it can be tested without a clock.
/// </summary>
internal sealed class RequestTuner
{
    /// <summary>Less growth than this is noise.</summary>
    private const double Growth = 1.04;

    /// <summary>Steps without growth after which the best one is kept.</summary>
    private const int Patience = 2;

    /// <summary>How often what is in flight turns over within one measurement.</summary>
    private const int TurnsPerWindow = 8;

#if DEBUG
    private const int Unit = 4 * 1024 / 64;
#else
    private const int Unit = 1024;
#endif

    // Steps so large that a device that gains by one is seen to gain: disks waver by a tenth from one moment to the next.
    private static readonly (int SizeBytes, int Depth)[] OverlappedSteps =
        [.. Tuning.RequestTunerOverlappedSteps.Select(static s => (s.KiB * Unit, s.Depth))];

    // In order, one at a time: copies are cheapest while the block stays in the second-level cache, and the kernel reads ahead by itself.
    private static readonly (int SizeBytes, int Depth)[] InOrderSteps =
        [.. Tuning.RequestTunerInOrderSteps.Select(static s => (s.KiB * Unit, s.Depth))];

    /// <summary>A shorter measurement would be one of the scheduler.</summary>
    private const long ShortestWindowBytes = Tuning.RequestTunerShortestWindowKiB * Unit;

    private readonly (int SizeBytes, int Depth)[] _steps;
    private readonly int _fixedSizeBytes;
    private readonly int _fixedDepth;
    private int _step;
    private int _bestStep;
    private double _bestRate;
    private int _stale;
    private bool _settled;
    private long _windowBytes;
    private long _windowStart;
    private int _blocks;
    private int _waits;
    private int _toSkip;

    /// <param name="overlapped">Several requests may be in flight.</param>
    /// <param name="sizeBytes">A request size to keep to; 0 to find one.</param>
    /// <param name="depth">A queue depth to keep to; 0 to find one.</param>
    public RequestTuner(bool overlapped, int sizeBytes, int depth)
    {
        _steps = overlapped ? OverlappedSteps : InOrderSteps;
        _fixedSizeBytes = sizeBytes;
        _fixedDepth = depth;
        _settled = sizeBytes != 0 && (depth != 0 || !overlapped);
    }

    /// <summary>The request size in effect, in bytes.</summary>
    public int SizeBytes => _fixedSizeBytes != 0 ? _fixedSizeBytes : _steps[_step].SizeBytes;

    /// <summary>The queue depth in effect.</summary>
    public int Depth => _fixedDepth != 0 ? _fixedDepth : _steps[_step].Depth;

    /// <summary>Whether the search is over.</summary>
    public bool IsSettled => _settled;

    /// <summary>Books a block that was handed over.</summary>
    /// <param name="bytes">Its length.</param>
    /// <param name="waited">
    /// Whether the caller had to wait for it: if not, the caller is the slower one, and more depth is of no use.
    /// </param>
    /// <param name="timestamp">Now, in any unit that goes on evenly.</param>
    public void OnBlock(int bytes, bool waited, long timestamp)
    {
        if (_settled)
        {
            return;
        }

        if (_toSkip > 0)
        {
            // Of the step before.
            _toSkip--;
            _windowStart = timestamp;
            return;
        }

        if (_windowStart == 0)
        {
            _windowStart = timestamp;
            return;
        }

        _windowBytes += bytes;
        _blocks++;
        _waits += waited ? 1 : 0;
        if (_blocks >= TurnsPerWindow * Depth && _windowBytes >= ShortestWindowBytes && timestamp > _windowStart)
        {
            EndWindow((double)_windowBytes / (timestamp - _windowStart), isDeviceBound: _waits * 2 >= _blocks);
            _toSkip = Depth;
            _windowBytes = 0;
            _blocks = 0;
            _waits = 0;
        }
    }

    private void EndWindow(double rate, bool isDeviceBound)
    {
        if (!isDeviceBound)
        {
            return;
        }

        if (rate > _bestRate * Growth)
        {
            _bestRate = rate;
            _bestStep = _step;
            _stale = 0;
        }
        else if (++_stale >= Patience)
        {
            Settle();
            return;
        }

        if (_step + 1 < _steps.Length)
        {
            _step++;
        }
        else
        {
            Settle();
        }
    }

    private void Settle()
    {
        _step = _bestStep;
        _settled = true;
    }
}
