namespace Sluice;

/// <summary>
/// Where a <see cref="SluiceLogReader"/> begins and ends. Read once, when it is made. Immutable, and therefore thread-safe.
/// </summary>
public sealed class SluiceLogReaderOptions
{
    /// <summary>The first record to read; 1, and where older ones were removed the oldest that is there.</summary>
    public long FromSequence { get; init; } = 1;

    /// <summary>Records whose frame's time is before this are passed over; null for none.</summary>
    public DateTimeOffset? FromTime { get; init; }

    /// <summary>Whether to begin behind the last record that is there.</summary>
    public bool FromEnd { get; init; }

    /// <summary>
    /// How safe a record must be to be read: <see cref="LogDurability.Durable"/> stops at what a power cut cannot take back, as the log's
    /// state file tells; <see cref="LogDurability.Written"/> at what is in the files. Null: what the writer's appends wait for by default.
    /// </summary>
    public LogDurability? UpTo { get; init; }

    /// <summary>
    /// Whether damage is noted in <see cref="SluiceLogReader.Damage"/> and passed over, as little as can be; false: it is an exception.
    /// </summary>
    public bool SkipDamage { get; init; }

    /// <summary>How long a reader that follows waits before it looks again. 20 ms.</summary>
    public TimeSpan PollInterval { get; init; } = TimeSpan.FromMilliseconds(20);
}
