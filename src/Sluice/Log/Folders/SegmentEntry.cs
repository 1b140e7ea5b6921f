namespace Sluice.Log.Folders;

/// <summary>What a folder has of one segment.</summary>
/// <param name="Id">By its name.</param>
/// <param name="Path">The file as it was written, whether it is there or not.</param>
/// <param name="Utc">The time in its name; the default where names have none.</param>
internal sealed record SegmentEntry(long Id, string Path, DateTime Utc)
{
    /// <summary>Whether it is there as it was written.</summary>
    public bool HasPlain { get; set; }

    /// <summary>Whether a compressed copy is there.</summary>
    public bool HasCompressed { get; set; }

    /// <summary>Whether a copy is there that was being made.</summary>
    public bool HasUnfinished { get; set; }

    /// <summary>Whether one of these is a folder or a link: not this log's.</summary>
    public bool IsForeign { get; set; }

    /// <summary>Whether what has the name of the file as it was written is a folder.</summary>
    public bool IsFolder { get; set; }

    public string CompressedPath => Path + SegmentNames.Compressed;

    public string UnfinishedPath => Path + SegmentNames.Compressing;
}
