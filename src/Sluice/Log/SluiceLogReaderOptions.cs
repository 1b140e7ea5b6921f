namespace Sluice;

/// <summary>Provides options for a <see cref="SluiceLogReader"/>.</summary>
/// <remarks>This type is immutable and therefore thread-safe.</remarks>
public sealed class SluiceLogReaderOptions
{
    /// <summary>Gets the sequence number of the first record to read.</summary>
    /// <value>The default is 1. If the record has been removed from the log, the reader begins with the oldest record in the log.</value>
    public long FromSequence { get; init; } = 1;

    /// <summary>Gets the time of the first record to read (<see cref="LogEntry.Time"/>). Records with earlier times are skipped.</summary>
    /// <value>The default is <see langword="null"/>, which skips no records.</value>
    public DateTimeOffset? FromTime { get; init; }

    /// <summary>
    /// Gets a value that indicates whether the reader skips all records that it could read when it is created (see <see cref="UpTo"/>).
    /// </summary>
    /// <value>The default is <see langword="false"/>.</value>
    public bool FromEnd { get; init; }

    /// <summary>Gets the durability that a record must have to be read.</summary>
    /// <value>
    /// With <see cref="LogDurability.Durable"/>, the reader returns only records that the log has recorded as durable. With
    /// <see cref="LogDurability.Written"/> or <see cref="LogDurability.Buffered"/>, it returns all records in the files. The default is
    /// <see langword="null"/>, which stands for the default durability of the log.
    /// </value>
    public LogDurability? UpTo { get; init; }

    /// <summary>
    /// Gets a value that indicates whether the reader skips damaged parts of the log and adds them to
    /// <see cref="SluiceLogReader.Damage"/>.
    /// </summary>
    /// <value>
    /// <see langword="true"/> to continue after the damage; <see langword="false"/> to throw a <see cref="SluiceLogDamagedException"/>. The
    /// default is <see langword="false"/>.
    /// </value>
    public bool SkipDamage { get; init; }

    /// <summary>
    /// Gets the time that <see cref="SluiceLogReader.FollowAsync"/> waits at the end of the log before it checks for new records.
    /// </summary>
    /// <value>The default is 20 milliseconds. The minimum is 1 millisecond.</value>
    public TimeSpan PollInterval { get; init; } = TimeSpan.FromMilliseconds(20);
}
