namespace Sluice.Testing;

/// <summary>Specifies a fault that a <see cref="FaultyEngine"/> causes.</summary>
public enum FaultKind
{
    /// <summary>No fault.</summary>
    None = 0,

    /// <summary>The operation transfers fewer bytes than requested. Sluice submits the rest as another operation.</summary>
    ShortTransfer,

    /// <summary>The operation fails with EINTR, as if a signal had interrupted the system call. Sluice repeats the operation.</summary>
    Interrupted,

    /// <summary>The operation fails with EAGAIN, as if the resource were temporarily unavailable. Sluice repeats the operation.</summary>
    Busy,

    /// <summary>The operation fails with EIO, as if the device had failed.</summary>
    DeviceError,

    /// <summary>
    /// A write fails with ENOSPC, as if the disk were full. If <see cref="FaultPlan.FailAt"/> plans this fault for another operation, that
    /// operation fails with EIO.
    /// </summary>
    DiskFull,

    /// <summary>The completion is delayed by a random time of at most <see cref="FaultPlan.MaxDelayMs"/>.</summary>
    Delay,

    /// <summary>
    /// The completions of two operations are delivered in reverse order. The first of two consecutive operations with this fault completes
    /// after the second one. If no second operation follows within <see cref="FaultPlan.MaxDelayMs"/> plus one millisecond, the first
    /// operation completes alone.
    /// </summary>
    Reorder,
}
