namespace Sluice.Testing;

/// <summary>Specifies a fault that a <see cref="FaultyEngine"/> causes.</summary>
public enum FaultKind
{
    /// <summary>No fault.</summary>
    None = 0,

    /// <summary>The operation transfers fewer bytes than requested. Sluice submits the rest as another operation.</summary>
    ShortTransfer,

    /// <summary>The operation fails with EINTR, as if a signal had interrupted the system call. Sluice submits it again.</summary>
    Interrupted,

    /// <summary>The operation fails with EAGAIN, as if the resource were temporarily unavailable. Sluice submits it again.</summary>
    Busy,

    /// <summary>The operation fails with EIO, as if the device had failed.</summary>
    DeviceError,

    /// <summary>
    /// A write fails with ENOSPC, as if the disk were full. Other operations get this fault only if <see cref="FaultPlan.FailAt"/>
    /// plans it, and then fail with EIO.
    /// </summary>
    DiskFull,

    /// <summary>The completion is delivered late, by a random time of at most <see cref="FaultPlan.MaxDelayMs"/>.</summary>
    Delay,

    /// <summary>
    /// The completions of two operations are delivered in reverse order. Of two consecutive operations with this fault, the first one
    /// completes after the second, <see cref="FaultPlan.MaxDelayMs"/> plus one millisecond later. If no second operation follows within
    /// that time, the first one completes late.
    /// </summary>
    Reorder,
}
