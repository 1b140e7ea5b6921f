using System.Text.Json.Serialization;
using Sluice.Cli.Report;

namespace Sluice.Cli.Programs.Frag;

/// <summary>The result of `sluice frag`, which is also its JSON.</summary>
/// <param name="CyclePiecesPerFile">
/// The mean number of pieces of the files of the last cycle; null if the file system does not list extents.
/// </param>
internal sealed record FragReport(
    DateTimeOffset Started, IReadOnlyList<string> Arguments, EnvironmentRecord Environment, string Folder, FragSettings Settings,
    long BudgetBytes, int Cycles, int Created, int Deleted, int Skipped, long WrittenBytes, int Files, long FilesBytes,
    double UsedPercent, double? CyclePiecesPerFile, double? PiecesPerFile, IReadOnlyList<FragCycle> History, double Seconds)
{
    [JsonPropertyOrder(-1)]
    public int FormatVersion { get; init; } = 1;
}

[JsonSourceGenerationOptions(
    WriteIndented = true, PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, RespectNullableAnnotations = true,
    RespectRequiredConstructorParameters = true)]
[JsonSerializable(typeof(FragReport))]
internal sealed partial class FragJsonContext : JsonSerializerContext;

/// <summary>The result of one cycle of filling and deleting.</summary>
/// <param name="FilledPercent">The used share of the volume before files were deleted.</param>
/// <param name="KeptPercent">The used share of the volume after files were deleted.</param>
/// <param name="PiecesPerFile">
/// The mean number of pieces of the files that this cycle created; null if the file system does not list extents.
/// </param>
internal sealed record FragCycle(int Cycle, int FilesMade, int FilesLeft, double FilledPercent, double KeptPercent, double? PiecesPerFile);
