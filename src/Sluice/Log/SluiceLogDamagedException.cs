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
