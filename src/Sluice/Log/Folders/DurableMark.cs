namespace Sluice.Log.Folders;

/// <summary>What the log's folder says of how far the log is durable, while it is written. It may say less: that is true, too.</summary>
/// <param name="write">Writes the last durable sequence there.</param>
/// <param name="flush">Has on the disk what was written.</param>
/// <param name="durable">What it says.</param>
/// <remarks>For one thread at a time; what is asked without a change may be asked by any.</remarks>
internal sealed class DurableMark(Action<long> write, Action flush, long durable)
{
    /// <summary>After how long one that could not be written is tried again.</summary>
    public const int AgainMs = 200;

    private long _said = durable;
    private long _lowered;

    /// <summary>Whether a tail was to be dropped, was not, and the disk may still say that less is durable.</summary>
    private bool _isLessOnDisk;

    /// <summary>The last sequence that it says to be durable, at least.</summary>
    public long Said => Volatile.Read(ref _said);

    /// <summary>How often it was to say less.</summary>
    public long Lowered => Volatile.Read(ref _lowered);

    /// <summary>Whether it says less than it could.</summary>
    public bool IsBehind(long durable) => Said < durable || Volatile.Read(ref _isLessOnDisk);

    /// <summary>
    /// Says that a sequence is durable. On the disk, where it had said less there: where the segment that was to take records back comes
    /// back with a power cut, the mark says that they were durable, and nobody takes their loss for the log's end.
    /// </summary>
    public void Write(long durable)
    {
        write(durable);
        Volatile.Write(ref _said, durable);
        if (_isLessOnDisk)
        {
            flush();
            Volatile.Write(ref _isLessOnDisk, false);
        }
    }

    /// <summary>Says on the disk that less is durable, before that is so.</summary>
    public void WriteLess(long durable)
    {
        // First: whatever comes of it, no more is said from here on.
        Volatile.Write(ref _said, Math.Min(Said, durable));
        Volatile.Write(ref _isLessOnDisk, true);
        Interlocked.Increment(ref _lowered);
        write(durable);
        flush();
    }

    /// <summary>Less is durable by now, as it says on the disk.</summary>
    public void AcceptLess() => Volatile.Write(ref _isLessOnDisk, false);

    /// <summary>Has on the disk what it says.</summary>
    public void Flush() => flush();
}
