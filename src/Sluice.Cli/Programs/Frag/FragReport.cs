using System.Text.Json.Serialization;
using Sluice.Cli.Report;

namespace Sluice.Cli.Programs.Frag;

/// <summary>The result of `sluice frag`, which is also its JSON.</summary>
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

    /// <summary>The mean number of pieces of the files of the last cycle; null if the file system does not list extents.</summary>
    public required double? CyclePiecesPerFile { get; init; }

    public required double? PiecesPerFile { get; init; }

    public IReadOnlyList<FragCycle> History { get; init => field = value ?? []; } = [];

    public required double Seconds { get; init; }
}

[JsonSourceGenerationOptions(WriteIndented = true, PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, RespectNullableAnnotations = true)]
[JsonSerializable(typeof(FragReport))]
internal sealed partial class FragJsonContext : JsonSerializerContext;

/// <summary>The result of one cycle of filling and deleting.</summary>
/// <param name="FilledPercent">The used share of the volume before files were deleted.</param>
/// <param name="KeptPercent">The used share of the volume after files were deleted.</param>
/// <param name="PiecesPerFile">
/// The mean number of pieces of the files that this cycle created; null if the file system does not list extents.
/// </param>
internal sealed record FragCycle(int Cycle, int FilesMade, int FilesLeft, double FilledPercent, double KeptPercent, double? PiecesPerFile);
