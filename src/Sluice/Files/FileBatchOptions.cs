using System.Runtime.Versioning;
using Sluice.Copying;

namespace Sluice;

/// <summary>How a batch of small files is read or written. Immutable.</summary>
public sealed class FileBatchOptions
{
    /// <summary>Groups of up to 32 files that are worked on at once (the number of processors).</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is not positive.</exception>
    public int MaxDegreeOfParallelism
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfNegativeOrZero(value);
            field = value;
        }
    }
    = Environment.ProcessorCount;

    /// <summary>Whether the rest is tried when a file has failed (false: the batch ends with the first failure that is met).</summary>
    public bool ContinueOnError { get; init; }

    /// <summary>
    /// The permissions of files that are made, subject to the umask; null for what .NET gives a new file. One that was there keeps its own.
    /// Reading makes none.
    /// </summary>
    /// <exception cref="ArgumentException">The value has bits that are no permission.</exception>
    [UnsupportedOSPlatform("windows")]
    public UnixFileMode? UnixCreateMode
    {
        get;
        init => field = CreateMode.Check(value);
    }
}
