using Sluice.Cli.Report;

namespace Sluice.Cli.Programs.Frag;

/// <summary>What a run of `sluice frag` left behind; the JSON is this record.</summary>
internal sealed record FragReport
{
    public DateTimeOffset Started { get; init; }

    public required IReadOnlyList<string> Arguments { get; init; }

    public required EnvironmentRecord Environment { get; init; }

    public required string Folder { get; init; }

    public required FragSettings Settings { get; init; }

    public required long BudgetBytes { get; init; }

    public required int Cycles { get; init; }

    public required int Created { get; init; }

    public required int Deleted { get; init; }

    public required int Skipped { get; init; }

    public required long WrittenBytes { get; init; }

    public required int Files { get; init; }

    public required long FilesBytes { get; init; }

    public required double UsedPercent { get; init; }

    /// <summary>Of the files made in the last cycle; null where the file system does not tell.</summary>
    public required double? CyclePiecesPerFile { get; init; }

    public required double? PiecesPerFile { get; init; }

    public IReadOnlyList<FragCycle> History { get; init => field = value ?? []; } = [];

    public required bool TargetReached { get; init; }

    public required double Seconds { get; init; }
}
