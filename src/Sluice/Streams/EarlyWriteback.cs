using System.Diagnostics;

namespace Sluice.Streams;

/// <summary>
/// Starts writing a file back to its device while it is being written. ext4 does that anyway when a file that was emptied is closed
/// (mount option auto_da_alloc), and whoever empties it next waits for it; begun earlier, the device works while the caller does.
/// </summary>
/// <remarks>
/// Each jump to another place doubles what has to be written one after another before a start: whoever writes here and there would pay for
/// starts, and have the device write pages that change again. Races between threads start the writeback of a range too early or leave it
/// to the kernel, nothing else.
/// </remarks>
internal struct EarlyWriteback
{
#if DEBUG
    /// <summary>Bytes written one after another that are worth a start.</summary>
    public const int StepBytes = 64 * 1024;
#else
    /// <summary>Bytes written one after another that are worth a start: 1 MiB to 16 MiB took the same time on a virtio disk.</summary>
    public const int StepBytes = 4 * 1024 * 1024;
#endif

    /// <summary>A start that takes so long met a device with a full queue: the rest is left to the kernel.</summary>
    private const int MaxStartMs = 20;

    /// <summary>After so many jumps no file is written one piece after another any more.</summary>
    private const int MaxJumps = 16;

    private bool _isOn;
    private bool _hasBegun;
    private int _jumps;
    private long _begin;
    private long _end;

    /// <summary>The file was emptied when it was opened.</summary>
    public static EarlyWriteback On => new() { _isOn = true };

    /// <summary>Books bytes that are in the page cache, or soon will be: what a start misses, <see cref="Finish"/> meets.</summary>
    public void Wrote(SluiceHandle handle, long offset, int length)
    {
        if (!_isOn)
        {
            return;
        }

        if (offset != _end)
        {
            _begin = offset;
            _jumps = Math.Min(_jumps + 1, MaxJumps);
        }

        _end = offset + length;
        if (_end - _begin >= (long)StepBytes << _jumps)
        {
            Start(handle);
        }
    }

    /// <summary>Before the file is closed: begins what the kernel begins then only where nothing has begun before.</summary>
    public readonly void Finish(SluiceHandle handle)
    {
        if (_hasBegun)
        {
            handle.StartWriteback(0, 0);
        }
    }

    private void Start(SluiceHandle handle)
    {
        if (!_hasBegun && !(handle.Caching == FileCaching.Cached && handle.DelaysAllocation))
        {
            _isOn = false;
            return;
        }

        _hasBegun = true;
        long began = Stopwatch.GetTimestamp();
        handle.StartWriteback(_begin, _end - _begin);
        _isOn = Stopwatch.GetElapsedTime(began).TotalMilliseconds < MaxStartMs;
        _begin = _end;
    }
}
