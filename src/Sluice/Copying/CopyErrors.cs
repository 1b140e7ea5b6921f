namespace Sluice.Copying;

/// <summary>What goes wrong in a copy without the kernel having a number for it; outside the range of errno.</summary>
internal static class CopyErrors
{
    /// <summary>The source ended before its length.</summary>
    public const int SourceEnded = -10_001;

    /// <summary>The source is no longer the version of which a part is being copied.</summary>
    public const int SourceChanged = -10_002;

    /// <summary>What several processes write is no longer where they write it: it has its name, or somebody has removed it.</summary>
    public const int CopyTaken = -10_003;
}
