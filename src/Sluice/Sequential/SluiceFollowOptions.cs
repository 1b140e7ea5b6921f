namespace Sluice;

/// <summary>Provides options for <see cref="SluiceReader.FollowAsync"/>.</summary>
/// <remarks>This type is immutable and therefore thread-safe.</remarks>
public sealed class SluiceFollowOptions
{
    /// <summary>
    /// Gets the time to wait before checking again whether the file has new data. The default is 200 milliseconds.
    /// </summary>
    /// <remarks>
    /// Values below 1 millisecond are treated as 1 millisecond. If the value is negative, <see cref="SluiceReader.FollowAsync"/> throws an
    /// <see cref="ArgumentOutOfRangeException"/> when the enumeration begins.
    /// </remarks>
    public TimeSpan PollInterval { get; init; } = TimeSpan.FromMilliseconds(200);

    /// <summary>
    /// Gets a value that indicates whether to return the lines that the file already contains. The default is
    /// <see langword="false"/>: only lines that are written later are returned.
    /// </summary>
    public bool FromStart { get; init; }

    /// <summary>
    /// Gets the object that receives the position in the current file, in bytes, after each read. The default is <see langword="null"/>.
    /// </summary>
    public IProgress<long>? Progress { get; init; }

    internal void Check() => ArgumentOutOfRangeException.ThrowIfLessThan(PollInterval, TimeSpan.Zero);
}
