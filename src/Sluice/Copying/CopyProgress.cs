namespace Sluice;

/// <summary>Represents the progress of a copy.</summary>
/// <param name="Bytes">The number of bytes copied so far, including shared blocks and holes.</param>
/// <param name="TotalBytes">The total number of bytes of the files found so far.</param>
/// <param name="Files">
/// The number of files copied so far, without those that are left as they are because of <see cref="CopyOptions.SkipUnchanged"/>.
/// </param>
/// <param name="TotalFiles">The total number of files to copy that were found so far.</param>
/// <remarks>This type is immutable and therefore thread-safe.</remarks>
public readonly record struct CopyProgress(long Bytes, long TotalBytes, int Files, int TotalFiles)
{
    /// <summary>
    /// Gets the number of files found so far that are left as they are. The other counts do not include them. The default is 0.
    /// </summary>
    public int UnchangedFiles { get; init; }
}
