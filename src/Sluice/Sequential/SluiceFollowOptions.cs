namespace Sluice;

/// <summary>How <see cref="SluiceReader.FollowAsync"/> watches a file. Immutable, and therefore thread-safe.</summary>
public sealed class SluiceFollowOptions
{
    /// <summary>
    /// How long to wait between looks at a file that has nothing new; a millisecond at least, 24 days at most: what is less or more counts
    /// as these, and a negative value is refused when following begins.
    /// </summary>
    public TimeSpan PollInterval { get; init; } = TimeSpan.FromMilliseconds(200);

    /// <summary>Whether to begin with what the file has already, and not behind it.</summary>
    public bool FromStart { get; init; }

    /// <summary>Told the position, in bytes from the start of the file of that moment, after each block that was read.</summary>
    public IProgress<long>? Progress { get; init; }

    internal void Check() => ArgumentOutOfRangeException.ThrowIfLessThan(PollInterval, TimeSpan.Zero);
}
