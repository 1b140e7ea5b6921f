namespace Sluice;

/// <summary>Represents the result of a copy.</summary>
/// <remarks>This type is immutable and therefore thread-safe. Numbers that do not apply to the copy are 0.</remarks>
public sealed record CopyResult
{
    /// <summary>Gets the number of bytes of all files that were copied. The number includes <see cref="ResumedBytes"/>.</summary>
    public long Bytes { get; init; }

    /// <summary>Gets the number of bytes that were taken from an earlier copy (<see cref="CopyOptions.Resume"/>).</summary>
    public long ResumedBytes { get; init; }

    /// <summary>
    /// Gets the number of entries that were copied: regular files, symbolic links, FIFOs, sockets, devices and additional hard
    /// links.
    /// </summary>
    public int Files { get; init; }

    /// <summary>
    /// Gets the number of source files that were written to while they were copied. The copy of such a file may contain data of several
    /// versions.
    /// </summary>
    public int ChangedFiles { get; init; }

    /// <summary>
    /// Gets the number of entries that were skipped because they matched their source (<see cref="CopyOptions.SkipUnchanged"/>).
    /// <see cref="Files"/> does not include them.
    /// </summary>
    public int UnchangedFiles { get; init; }

    /// <summary>
    /// Gets the number of directories that were created or found at the target. For a shard, it is the number of directories that
    /// the shard created.
    /// </summary>
    public int Folders { get; init; }

    /// <summary>Gets the method that was used. For a tree, this is the method that copied the most bytes.</summary>
    public CopyMethod Method { get; init; }

    /// <summary>Gets a one-line explanation of why the method was used. The default is an empty string.</summary>
    public string MethodReason { get; init; } = "";
}
