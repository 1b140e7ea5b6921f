namespace Sluice.Streams;

/// <summary>The owner of a stream's handle. One byte, because two Booleans would make each stream 8 bytes larger (decision 0006).</summary>
internal enum HandleOrigin : byte
{
    /// <summary>The caller owns the handle and closes it.</summary>
    Borrowed,

    /// <summary>The stream owns the handle.</summary>
    Own,

    /// <summary>The stream owns the handle, which was created from a SafeFileHandle of the caller, so its path is unknown.</summary>
    Foreign,
}
