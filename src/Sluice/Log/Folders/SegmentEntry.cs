namespace Sluice.Log.Folders;

/// <summary>The files of one segment in a folder.</summary>
/// <param name="Id">The id in the name.</param>
/// <param name="Path">The path of the original file, which may not exist.</param>
/// <param name="Utc">The time in the name; the default if names contain no time.</param>
internal sealed record SegmentEntry(long Id, string Path, DateTime Utc)
{
    /// <summary>True if the original file exists.</summary>
    public bool HasPlain { get; set; }

    /// <summary>True if a compressed copy exists.</summary>
    public bool HasCompressed { get; set; }

    /// <summary>True if an incomplete copy exists.</summary>
    public bool HasUnfinished { get; set; }

    /// <summary>True if one of these names is that of a folder or a link, which is not part of this log.</summary>
    public bool IsForeign { get; set; }

    /// <summary>True if the name of the original file is that of a folder.</summary>
    public bool IsFolder { get; set; }

    public string CompressedPath => Path + SegmentNames.Compressed;

    public string UnfinishedPath => Path + SegmentNames.Compressing;
}
