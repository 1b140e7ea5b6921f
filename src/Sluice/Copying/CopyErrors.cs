namespace Sluice.Copying;

/// <summary>What goes wrong in a copy without the kernel having a number for it; outside the range of errno.</summary>
internal static class CopyErrors
{
    /// <summary>The source ended before its length.</summary>
    public const int SourceEnded = -10_001;
}
