namespace Sluice;

/// <summary>What a copy did.</summary>
public sealed record CopyResult
{
    /// <summary>Bytes of all files that were copied, whatever way.</summary>
    public long Bytes { get; init; }

    /// <summary>Bytes that an earlier copy had left and that were found right; part of <see cref="Bytes"/>.</summary>
    public long ResumedBytes { get; init; }

    /// <summary>Files copied: plain ones, links, FIFOs, sockets, devices, and further names of a file.</summary>
    public int Files { get; init; }

    /// <summary>Files that were written while they were copied: each copy is what was read, and may be of two versions.</summary>
    public int ChangedFiles { get; init; }

    /// <summary>
    /// Files, links and nodes that were left as they were (<see cref="CopyOptions.SkipUnchanged"/>, or an earlier run of the shard); not
    /// among <see cref="Files"/>.
    /// </summary>
    public int UnchangedFiles { get; init; }

    /// <summary>Folders made or found; of a shard, those that it made.</summary>
    public int Folders { get; init; }

    /// <summary>The method that took effect; of a tree, that of most of its bytes.</summary>
    public CopyMethod Method { get; init; }

    /// <summary>Why that method, in one line.</summary>
    public string MethodReason { get; init; } = "";

    /// <summary>Requests that were outstanding at most; 0 where the kernel copied by itself.</summary>
    public int Depth { get; init; }
}
