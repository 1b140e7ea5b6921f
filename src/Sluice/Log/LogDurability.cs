namespace Sluice;

/// <summary>Specifies which failures an acknowledged record survives.</summary>
public enum LogDurability
{
    /// <summary>The record is in the log's memory. It is lost if the process ends before the record is written.</summary>
    Buffered = 0,

    /// <summary>
    /// The operating system has the record, in the file or in <see cref="LogMemory.Shared"/> memory. It survives the end of the
    /// process, but not a power failure.
    /// </summary>
    Written = 1,

    /// <summary>The record is on the storage device. It survives a power failure.</summary>
    Durable = 2,
}
