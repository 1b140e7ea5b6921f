namespace Sluice.Cli.Bench;

/// <summary>One line of a suite, declared: what it measures, why, what it must reach, and how to open its contenders.</summary>
internal sealed record Row(string Id, string Name, string Why, Func<BenchContext, Contest> Open)
{
    public RateUnit Unit { get; init; } = RateUnit.OperationsPerSecond;

    /// <summary>For rates in MiB/s.</summary>
    public Func<BenchScale, long>? BytesPerOperation { get; init; }

    public RowTarget Target { get; init; } = new();

    public FioJob? Fio { get; init; }

    /// <summary>Whether it is said how often threads that submit met at the lock of a ring.</summary>
    public bool CountsMeetings { get; init; }

    /// <summary>
    /// Whether a pass takes about as many new pages of memory as it reads or writes, some MiB and more: each is then measured right after
    /// an unmeasured one of the same side, so that the machine has the pages, and pairs whose pages cost differently do not count.
    /// </summary>
    public bool FillsPageCache { get; init; }

    /// <summary>
    /// Whether its passes, which take their pages anew, go on for a slice's time; else a turn is one pass, since a second one would meet
    /// the first one's pages.
    /// </summary>
    public bool FillsForSlice { get; init; }

    /// <summary>The same row, as one whose passes fill the page cache for a slice's time.</summary>
    public Row FillingForSlice() => this with { FillsPageCache = true, FillsForSlice = true };

    /// <summary>The same row, as one whose turns are one pass that fills the page cache.</summary>
    public Row FillingOnce() => this with { FillsPageCache = true };

    /// <summary>Fewer rounds than the run's, for a row whose single operation takes seconds.</summary>
    public int? MaxRounds { get; init; }
}

internal enum RateUnit { Iops, OperationsPerSecond, MiBPerSecond }

/// <summary>A row that cannot be measured here; the run goes on, and its end says why.</summary>
internal sealed class RowSkippedException(string reason, Exception? inner = null) : Exception(reason, inner);
