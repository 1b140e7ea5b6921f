namespace Sluice.Cli.Bench;

/// <summary>One line of a suite: what it measures, why, and how to open its <see cref="Contest"/>.</summary>
internal sealed record Row(string Id, string Name, string Why, Func<BenchContext, Contest> Open)
{
    /// <summary>The number of bytes of an operation, with which the rate is in MiB/s; null for a rate in operations per second.</summary>
    public Func<BenchScale, long>? BytesPerOperation { get; init; }

    /// <summary>True if an operation is a request to a device.</summary>
    public bool IsRequest { get; init; }

    public string Unit => BytesPerOperation is not null ? "MiB/s" : IsRequest ? "IOPS" : "ops/s";

    public FioJob? Fio { get; init; }

    /// <summary>The arguments of the row's method, in the form in which `sluice tables` shows them.</summary>
    public IReadOnlyList<string> Arguments { get; init; } = [];

    public PageCacheFill Fills { get; init; }
}

/// <summary>
/// The need of a row for new pages of memory. If a pass needs about as many as it reads or writes (several MiB or more), each measured pass
/// follows an unmeasured pass of the same contender, and reuses its pages.
/// </summary>
internal enum PageCacheFill
{
    /// <summary>A pass needs few new pages.</summary>
    None,

    /// <summary>A slice is one pass, because a second one would find its pages in the cache.</summary>
    Once,

    /// <summary>Passes are repeated for the time of a slice.</summary>
    ForSlice,
}

/// <summary>The exception for a row that cannot be measured here. The run continues and reports the reason.</summary>
internal sealed class RowSkippedException(string reason, Exception? inner = null) : Exception(reason, inner);
