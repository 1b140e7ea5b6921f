namespace Sluice;

/// <summary>Provides options for a <see cref="SluiceLogReader"/>.</summary>
/// <remarks>The options are read once, by the constructor of the reader. Instances are immutable and therefore thread-safe.</remarks>
public sealed class SluiceLogReaderOptions
{
    /// <summary>Gets the sequence number of the first record to read.</summary>
    /// <value>
    /// The default is 1. If the record has been removed from the log, the reader begins with the oldest record that is left.
    /// </value>
    public long FromSequence { get; init; } = 1;

    /// <summary>Gets the time before which records are skipped. The time of a record is <see cref="LogEntry.Time"/>.</summary>
    /// <value>The default is <see langword="null"/>, which skips no records.</value>
    public DateTimeOffset? FromTime { get; init; }

    /// <summary>
    /// Gets a value that indicates whether the reader begins after the last record that can be read when the reader is created.
    /// </summary>
    /// <value>The default is <see langword="false"/>.</value>
    public bool FromEnd { get; init; }

    /// <summary>Gets the durability that a record must have to be read.</summary>
    /// <value>
    /// With <see cref="LogDurability.Durable"/>, the reader stops at the last record that the writer has noted as durable in the file
    /// log.state. With <see cref="LogDurability.Written"/> or <see cref="LogDurability.Buffered"/>, it reads all records in the files.
    /// With <see langword="null"/>, which is the default, it uses the default durability of the log's writer.
    /// </value>
    public LogDurability? UpTo { get; init; }

    /// <summary>
    /// Gets a value that indicates whether the reader skips damaged parts of the log and adds them to
    /// <see cref="SluiceLogReader.Damage"/>.
    /// </summary>
    /// <value>
    /// <see langword="true"/> to continue after the damage, skipping as little as possible; <see langword="false"/> to throw a
    /// <see cref="SluiceLogDamagedException"/>. The default is <see langword="false"/>.
    /// </value>
    public bool SkipDamage { get; init; }

    /// <summary>
    /// Gets the time that <see cref="SluiceLogReader.FollowAsync"/> waits at the end of the log before it looks for new records.
    /// </summary>
    /// <value>The default is 20 milliseconds.</value>
    public TimeSpan PollInterval { get; init; } = TimeSpan.FromMilliseconds(20);
}
