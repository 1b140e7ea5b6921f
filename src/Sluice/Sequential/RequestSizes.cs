namespace Sluice.Sequential;

/// <summary>The default size and number of the requests of a reader or writer (0007, 0009).</summary>
internal static class RequestSizes
{
#if DEBUG
    private const int Unit = 64;
#else
    private const int Unit = 1024;
#endif

    /// <summary>The size of a direct request, in bytes.</summary>
    public const int DirectBytes = 1024 * Unit;

    /// <summary>The number of direct requests in progress at the same time.</summary>
    public const int DirectDepth = 4;

    /// <summary>The size of a cached request, in bytes. Larger blocks do not fit into the second-level cache.</summary>
    public const int CachedBytes = 256 * Unit;
}
