namespace Sluice;

/// <summary>Represents the result of a copy.</summary>
/// <remarks>This type is immutable and therefore thread-safe. All numbers are 0 unless the copy set them.</remarks>
public sealed record CopyResult
{
    /// <summary>
    /// Gets the number of bytes of all files that were copied, by any method. It includes <see cref="ResumedBytes"/>.
    /// </summary>
    public long Bytes { get; init; }

    /// <summary>Gets the number of bytes that an earlier copy had left and that matched the source.</summary>
    public long ResumedBytes { get; init; }

    /// <summary>
    /// Gets the number of entries that were copied: regular files, symbolic links, FIFOs, sockets, devices and additional hard
    /// links.
    /// </summary>
    public int Files { get; init; }

    /// <summary>
    /// Gets the number of files that were written to while they were copied. The copy of such a file may contain data of several
    /// versions.
    /// </summary>
    public int ChangedFiles { get; init; }

    /// <summary>
    /// Gets the number of files, links and other entries that were left as they were because they matched their source
    /// (<see cref="CopyOptions.SkipUnchanged"/>) or were the work of an earlier run of the shard. <see cref="Files"/> does not
    /// include them.
    /// </summary>
    public int UnchangedFiles { get; init; }

    /// <summary>
    /// Gets the number of directories that were created or found at the target. For a shard, it is the number of directories that
    /// the shard created.
    /// </summary>
    public int Folders { get; init; }

    /// <summary>Gets the method that was used. For a tree, it is the method that copied the most bytes.</summary>
    public CopyMethod Method { get; init; }

    /// <summary>Gets one line that explains why the method was used. The default is an empty string.</summary>
    public string MethodReason { get; init; } = "";

    /// <summary>
    /// Gets the largest number of requests that were in flight with <see cref="CopyMethod.Direct"/>. It is 0 for every other
    /// method.
    /// </summary>
    public int Depth { get; init; }
}
