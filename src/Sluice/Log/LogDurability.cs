namespace Sluice;

/// <summary>Specifies which failures a record survives after an append has returned.</summary>
public enum LogDurability
{
    /// <summary>The record is in the memory of the log. The record is lost if the process ends before the log has written it.</summary>
    Buffered = 0,

    /// <summary>
    /// The operating system has the record. The record survives the end of the process, but not a power failure.
    /// </summary>
    Written = 1,

    /// <summary>The record is on the storage device. It survives a power failure.</summary>
    Durable = 2,
}
