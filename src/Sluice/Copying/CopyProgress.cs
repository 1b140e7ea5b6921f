namespace Sluice;

/// <summary>How far a copy has come.</summary>
/// <param name="Bytes">Bytes copied so far, shared and empty ranges included.</param>
/// <param name="TotalBytes">Bytes in all, as far as the files have been found.</param>
/// <param name="Files">Files copied so far, without those that stay as they are (<see cref="CopyOptions.SkipUnchanged"/>).</param>
/// <param name="TotalFiles">Files to copy in all, as far as they have been found.</param>
public readonly record struct CopyProgress(long Bytes, long TotalBytes, int Files, int TotalFiles)
{
    /// <summary>Files that stay as they are, as far as they have been found; not among the others.</summary>
    public int UnchangedFiles { get; init; }
}
