namespace Sluice.Sequential;

/// <summary>The size and the number of the requests of a reader or a writer, unless its options say otherwise (0007, 0009).</summary>
internal static class RequestSizes
{
#if DEBUG
    private const int Unit = 64;
#else
    private const int Unit = 1024;
#endif

    /// <summary>Bytes of one direct request.</summary>
    public const int DirectBytes = 1024 * Unit;

    /// <summary>Direct requests that are in progress at the same time.</summary>
    public const int DirectDepth = 4;

    /// <summary>Bytes of one cached request. Larger blocks do not fit into the second-level cache.</summary>
    public const int CachedBytes = 256 * Unit;
}
