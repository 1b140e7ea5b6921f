using Sluice.Kernel;

namespace Sluice.Streams;

/// <summary>
/// Whether a stream goes to and fro, or is flushed again and again, with little to transfer each time. On an uncached or direct file each
/// such transfer would wait for the device, or set it to work, for pages that are met again soon: the page cache keeps them for a while.
/// </summary>
internal struct SmallTransfers
{
#if DEBUG
    /// <summary>What is larger is no small transfer, in bytes: little in Debug builds, so that tests walk both sides.</summary>
    public const int MaxBytes = 4 * 1024;
#else
    /// <summary>What is larger is no small transfer, in bytes.</summary>
    public const int MaxBytes = Tuning.SmallTransferMaxBytes;
#endif

    /// <summary>So many jumps and small flushes are an accident: who opens a file to read it from its middle makes two or three.</summary>
    private const int MinTurns = Tuning.SmallTransferMinTurns;

    /// <summary>Full windows after a small transfer that it may come back to: the window has grown past a small one by then.</summary>
    private const int MaxFull = Tuning.SmallTransferMaxFull;

    private int _turns;
    private int _full;
    private long _end;

    /// <summary>A small read begins; true where the page cache is to keep its pages. One that goes on where the last one ended is not
    /// among them.</summary>
    public bool BeginRead(long offset) => offset != _end && Turn();

    /// <summary>Where it ended.</summary>
    public void EndRead(long end) => _end = end;

    /// <summary>A small window is written; true where the page cache is to keep its pages. It is not full where the stream is flushed or
    /// moved. A full one of an uncached file is kept too, where it is one of the few behind such a window: who goes back to patch what he
    /// has just written would wait for the device, which a full window that is dropped behind sets to work.</summary>
    public bool BeginWrite(bool isFull, FileCaching caching)
    {
        if (!isFull)
        {
            _full = 0;
            return Turn();
        }

        if (caching != FileCaching.Uncached || _turns != MinTurns || _full == MaxFull)
        {
            return false;
        }

        _full++;
        return true;
    }

    private bool Turn()
    {
        if (_turns == MinTurns)
        {
            return true;
        }

        _turns++;
        return false;
    }
}
