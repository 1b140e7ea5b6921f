namespace Sluice.Log.Stages;

/// <summary>Where records stand in the ring. To be made before the place is filled: so long the page stays what it is.</summary>
internal readonly record struct Placed(LogPage Page, int Offset, long FirstSequence)
{
    /// <summary>Of the page. Where the ring has another one by now, the page may be that of other records.</summary>
    public int Epoch { get; } = Page.Epoch;
}
