namespace Sluice;

/// <summary>Represents the progress of a copy.</summary>
/// <param name="Bytes">The number of bytes copied so far, including shared blocks and holes.</param>
/// <param name="TotalBytes">The total number of bytes of the files found so far.</param>
/// <param name="Files">The number of files copied so far, not including <see cref="UnchangedFiles"/>.</param>
/// <param name="TotalFiles">The total number of files to copy that were found so far.</param>
/// <remarks>This type is immutable and therefore thread-safe.</remarks>
public readonly record struct CopyProgress(long Bytes, long TotalBytes, int Files, int TotalFiles)
{
    /// <summary>
    /// Gets the number of files that were skipped because they match their source (<see cref="CopyOptions.SkipUnchanged"/>). They are not
    /// included in the other properties.
    /// </summary>
    public int UnchangedFiles { get; init; }
}
