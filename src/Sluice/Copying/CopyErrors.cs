namespace Sluice.Copying;

/// <summary>Results of a copy that are not errors of the kernel; outside the range of errno.</summary>
internal static class CopyErrors
{
    /// <summary>The source ended before its length.</summary>
    public const int SourceEnded = -10_001;
}
