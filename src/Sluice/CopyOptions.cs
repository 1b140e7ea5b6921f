namespace Sluice;

/// <summary>How to copy. Not thread-safe while it is being changed.</summary>
public sealed class CopyOptions
{
    /// <summary>The outstanding requests of a direct copy that were measured to be enough; the program of MSR-TR-2004-136 used four too.</summary>
    public const int DefaultDepth = 4;

    private const int MostDepth = 64;

    private int _depth = DefaultDepth;

    /// <summary>How the bytes get there. What took effect is <see cref="CopyResult.Method"/>; one that is asked for and fails is an error.</summary>
    public CopyMethod Method { get; set; }

    /// <summary>Requests of 1 MiB outstanding in a direct copy (1 to 64).</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside that range.</exception>
    public int Depth
    {
        get => _depth;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegativeOrZero(value);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, MostDepth);
            _depth = value;
        }
    }

    /// <summary>Whether a file at the target is replaced (false: an <see cref="IOException"/>).</summary>
    public bool Overwrites { get; set; }

    /// <summary>Whether a folder is copied with all that is below it; links are copied as links.</summary>
    public bool IsRecursive { get; set; }

    /// <summary>Whether modes, owners, times, extended attributes and hard links are those of the source.</summary>
    public bool KeepsMetadata { get; set; }

    /// <summary>
    /// Whether to go on from what an earlier copy left, after comparing it with the source; and to leave the temporary file where it is
    /// when this copy fails or is cancelled.
    /// </summary>
    public bool Resumes { get; set; }

    /// <summary>Whether the copy is read back past the cache, and its checksum compared with the source's, before it gets its name.</summary>
    public bool Verifies { get; set; }

    /// <summary>Whether the copy is durable when the task has ended.</summary>
    public bool FlushesToDisk { get; set; }

    /// <summary>Told a few times a second how far the copy is, and at the end.</summary>
    public IProgress<CopyProgress>? Progress { get; set; }
}
