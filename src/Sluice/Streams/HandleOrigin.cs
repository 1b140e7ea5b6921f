namespace Sluice.Streams;

/// <summary>Whose a stream's handle is; a byte, since two truth values would make each stream 8 bytes longer (decision 0006).</summary>
internal enum HandleOrigin : byte
{
    /// <summary>The caller's, who closes it.</summary>
    Borrowed,

    /// <summary>The stream's.</summary>
    Own,

    /// <summary>The stream's, over a SafeFileHandle of the caller's: its file's name is not known.</summary>
    Foreign,
}
