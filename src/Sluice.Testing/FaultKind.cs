namespace Sluice.Testing;

/// <summary>A fault that <see cref="FaultyEngine"/> brings about.</summary>
public enum FaultKind
{
    /// <summary>No fault.</summary>
    None = 0,

    /// <summary>Fewer bytes than asked are transferred; the caller is to go on with the rest.</summary>
    ShortTransfer,

    /// <summary>A signal interrupted the call (EINTR); the call is to be made again.</summary>
    Interrupted,

    /// <summary>The resource was busy for a moment (EAGAIN); the call is to be made again.</summary>
    Busy,

    /// <summary>The device failed (EIO).</summary>
    DeviceError,

    /// <summary>The disk is full (ENOSPC): only writes fail so.</summary>
    DiskFull,

    /// <summary>The completion comes late.</summary>
    Delay,

    /// <summary>
    /// Of two that meet this one after the other, the second's completion comes first, and the first's behind it, by
    /// <see cref="FaultPlan.MaxDelayMs"/> and a millisecond. Where none follows for so long, the first comes late.
    /// </summary>
    Reorder,
}
