namespace Sluice.Cli.Bench;

/// <summary>One line of a suite: what it measures, why, and how to open its two sides.</summary>
internal sealed record Row(string Id, string Name, string Why, Func<BenchContext, Contest> Open)
{
    /// <summary>Bytes of an operation; the rate is then in MiB/s. Null: operations a second.</summary>
    public Func<BenchScale, long>? BytesPerOperation { get; init; }

    /// <summary>True if an operation is a request to a device.</summary>
    public bool IsRequest { get; init; }

    public string Unit => BytesPerOperation is not null ? "MiB/s" : IsRequest ? "IOPS" : "ops/s";

    public FioJob? Fio { get; init; }

    /// <summary>The arguments of the row's method, as the tables of `sluice tables` show them.</summary>
    public IReadOnlyList<string> Arguments { get; init; } = [];

    /// <summary>
    /// True if a pass needs about as many new pages of memory as it reads or writes (several MiB or more). Each measured pass then follows
    /// an unmeasured one of the same side, whose pages it reuses, and rounds in which the cost of a page differs between the sides do not
    /// count.
    /// </summary>
    public bool FillsPageCache { get; init; }

    /// <summary>
    /// True if such passes are repeated for the time of a slice; otherwise a turn is one pass, since a second one would find its pages.
    /// </summary>
    public bool FillsForSlice { get; init; }

    public Row FillingForSlice() => this with { FillsPageCache = true, FillsForSlice = true };

    public Row FillingOnce() => this with { FillsPageCache = true };

    /// <summary>Fewer rounds than the run's, for a row whose single operation takes seconds.</summary>
    public int? MaxRounds { get; init; }
}

/// <summary>A row that cannot be measured here; the run goes on and reports the reason.</summary>
internal sealed class RowSkippedException(string reason, Exception? inner = null) : Exception(reason, inner);
