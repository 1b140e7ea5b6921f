using System.Runtime.Versioning;
using Sluice.Copying;

namespace Sluice;

/// <summary>Provides options for <see cref="SluiceFile.ReadManyAsync"/> and <see cref="SluiceFile.WriteManyAsync"/>.</summary>
/// <remarks>This type is immutable and therefore thread-safe.</remarks>
public sealed class FileBatchOptions
{
    /// <summary>
    /// Gets the number of groups of up to 32 files that are processed at the same time. The default is
    /// <see cref="Environment.ProcessorCount"/>. Values above 1024 are treated as 1024.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is 0 or negative.</exception>
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

    /// <summary>
    /// Gets a value that indicates whether the remaining files are processed after a file has failed. The default is
    /// <see langword="false"/>: the first failure ends the batch.
    /// </summary>
    public bool ContinueOnError { get; init; }

    /// <summary>
    /// Gets the permissions of files that are created, before the umask of the process is applied. The default is <see langword="null"/>,
    /// which stands for the default of .NET. Existing files keep their permissions. <see cref="SluiceFile.ReadManyAsync"/> ignores this
    /// value.
    /// </summary>
    /// <exception cref="ArgumentException">The value contains bits that are not permissions.</exception>
    /// <exception cref="PlatformNotSupportedException">
    /// The operating system is Windows and the value is not <see langword="null"/>.
    /// </exception>
    [UnsupportedOSPlatform("windows")]
    public UnixFileMode? UnixCreateMode
    {
        get;
        init => field = CreateMode.Check(value);
    }
}
