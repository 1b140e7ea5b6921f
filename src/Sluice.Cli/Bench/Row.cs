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

    /// <summary>
    /// True if a pass needs about as many new pages of memory as it reads or writes (several MiB or more). Each measured pass then follows
    /// an unmeasured pass of the same contender, and reuses its pages.
    /// </summary>
    public bool FillsPageCache { get; init; }

    /// <summary>
    /// True if such passes are repeated for the time of a slice; false if a slice is one pass, because a second one would find its pages in
    /// the cache.
    /// </summary>
    public bool FillsForSlice { get; init; }

    public Row FillingForSlice() => this with { FillsPageCache = true, FillsForSlice = true };

    public Row FillingOnce() => this with { FillsPageCache = true };

    /// <summary>The maximum number of rounds, for a row whose single operation takes seconds; null for no maximum.</summary>
    public int? MaxRounds { get; init; }
}

/// <summary>The exception for a row that cannot be measured here. The run continues and reports the reason.</summary>
internal sealed class RowSkippedException(string reason, Exception? inner = null) : Exception(reason, inner);
