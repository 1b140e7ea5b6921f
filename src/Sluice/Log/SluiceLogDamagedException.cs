namespace Sluice;

/// <summary>The exception that is thrown when a log is damaged, or when records that had been made durable are missing.</summary>
/// <remarks>The properties do not change and can be read from any thread.</remarks>
public sealed class SluiceLogDamagedException : IOException
{
    /// <summary>Initializes a new instance of the <see cref="SluiceLogDamagedException"/> class.</summary>
    /// <param name="path">The path of the damaged file, or of the directory in which a file is missing.</param>
    /// <param name="fileOffset">The offset of the damage in the file, in bytes, or -1 if an offset has no meaning.</param>
    /// <param name="sequence">The sequence number of the first record that cannot be read, or 0 if it is not known.</param>
    /// <param name="reason">A description of the damage.</param>
    public SluiceLogDamagedException(string path, long fileOffset, long sequence, string reason)
        : base($"Reading the log's '{path}'{(fileOffset >= 0 ? $" at offset {fileOffset}" : "")} failed: {reason}"
            + $"{(sequence > 0 ? $" (from record {sequence} on)" : "")}.")
    {
        (Path, FileOffset, Sequence, Reason) = (path, fileOffset, sequence, reason);
    }

    /// <summary>Gets the path of the damaged file, or of the directory in which a file is missing.</summary>
    public string Path { get; }

    /// <summary>Gets the offset of the damage in the file, in bytes, or -1 if an offset has no meaning.</summary>
    public long FileOffset { get; }

    /// <summary>Gets the sequence number of the first record that cannot be read, or 0 if it is not known.</summary>
    public long Sequence { get; }

    /// <summary>Gets a description of the damage.</summary>
    public string Reason { get; }
}
