namespace Sluice;

/// <summary>A log is not as it was acknowledged: which file, where in it, and what is wrong.</summary>
public sealed class SluiceLogDamagedException : IOException
{
    /// <param name="path">The file, or the folder where a file is missing.</param>
    /// <param name="fileOffset">Where in it, in bytes; -1 where that has no meaning.</param>
    /// <param name="sequence">The first record that cannot be had; 0 where that is not known.</param>
    /// <param name="reason">What is wrong.</param>
    public SluiceLogDamagedException(string path, long fileOffset, long sequence, string reason)
        : base($"Reading the log's '{path}'{(fileOffset >= 0 ? $" at offset {fileOffset}" : "")} failed: {reason}"
            + $"{(sequence > 0 ? $" (from record {sequence} on)" : "")}.")
    {
        (Path, FileOffset, Sequence, Reason) = (path, fileOffset, sequence, reason);
    }

    /// <summary>The file, or the folder where a file is missing.</summary>
    public string Path { get; }

    /// <summary>Where in it, in bytes; -1 where that has no meaning.</summary>
    public long FileOffset { get; }

    /// <summary>The first record that cannot be had; 0 where that is not known.</summary>
    public long Sequence { get; }

    /// <summary>What is wrong.</summary>
    public string Reason { get; }
}

/// <summary>
/// Bytes at the end of a log that are no records: cut when it was opened for writing (<see cref="SluiceLog.Cut"/>), or found by a reader,
/// which changes nothing (<see cref="SluiceLogReader.Tail"/>).
/// </summary>
/// <param name="Path">The last segment.</param>
/// <param name="FileOffset">Where they begin, in bytes.</param>
/// <param name="Bytes">How many, up to the last that is not zero.</param>
/// <param name="Sequence">The first record that is not there.</param>
/// <param name="Reason">Why they are no records.</param>
public sealed record SluiceLogCut(string Path, long FileOffset, long Bytes, long Sequence, string Reason);
