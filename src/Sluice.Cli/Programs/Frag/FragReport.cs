using System.Text.Json.Serialization;
using Sluice.Cli.Report;

namespace Sluice.Cli.Programs.Frag;

/// <summary>The result of `sluice frag`; the JSON is this record.</summary>
internal sealed record FragReport
{
    public int FormatVersion { get; init; } = 1;

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

    /// <summary>For the files of the last cycle; null if the file system does not list extents.</summary>
    public required double? CyclePiecesPerFile { get; init; }

    public required double? PiecesPerFile { get; init; }

    public IReadOnlyList<FragCycle> History { get; init => field = value ?? []; } = [];

    public required bool TargetReached { get; init; }

    public required double Seconds { get; init; }
}

[JsonSourceGenerationOptions(WriteIndented = true, PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, RespectNullableAnnotations = true)]
[JsonSerializable(typeof(FragReport))]
internal sealed partial class FragJsonContext : JsonSerializerContext;

/// <summary>One cycle of filling and deleting.</summary>
/// <param name="FilledPercent">How full the volume was before files were deleted.</param>
/// <param name="KeptPercent">And after.</param>
/// <param name="PiecesPerFile">Of the files made in this cycle; null where the file system does not tell.</param>
internal sealed record FragCycle(int Cycle, int FilesMade, int FilesLeft, double FilledPercent, double KeptPercent, double? PiecesPerFile);
