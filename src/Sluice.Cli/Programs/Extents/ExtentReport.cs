using System.Text.Json.Serialization;
using Sluice.Cli.Report;

namespace Sluice.Cli.Programs.Extents;

/// <summary>The result of `sluice extents`, which is also its JSON.</summary>
/// <param name="FragmentedFiles">The number of files in more than one piece.</param>
/// <param name="Score">The score of all files together, by the formula of <see cref="FileLayout.ScoreOf"/>.</param>
/// <param name="FileExtents">The extents of a single file; null for a folder.</param>
/// <param name="Interrupted">True if a signal ended the run, so that the result covers a part of the folder.</param>
internal sealed record ExtentReport(
    DateTimeOffset Started, IReadOnlyList<string> Arguments, string Path, EnvironmentRecord Environment, int Files, long SizeBytes,
    long PlacedBytes, long UnplacedBytes, long Extents, long Pieces, int FragmentedFiles, double Score,
    IReadOnlyList<ExtentClass> Histogram, IReadOnlyList<FileLayout> WorstFiles, IReadOnlyList<FileExtent>? FileExtents,
    IReadOnlyList<string> Failures, bool Interrupted)
{
    [JsonPropertyOrder(-1)]
    public int FormatVersion { get; init; } = 1;

    /// <summary>The reason why the result is incomplete; null if it is complete.</summary>
    [JsonIgnore]
    public string? InterruptedNote => Interrupted ? "interrupted: the remaining files were not examined" : null;

    public static ExtentReport Of(
        DateTimeOffset started, IReadOnlyList<string> arguments, string path, bool isFolder, int worst, ExtentScan scan)
    {
        IReadOnlyList<FileLayout> files = scan.Files;
        long placed = files.Sum(f => f.PlacedBytes);
        return new ExtentReport(
            Started: started,
            Arguments: arguments,
            Path: path,
            Environment: EnvironmentProbe.ForPath(path),
            Files: files.Count,
            SizeBytes: files.Sum(f => f.SizeBytes),
            PlacedBytes: placed,
            UnplacedBytes: files.Sum(f => f.UnplacedBytes),
            Extents: files.Sum(f => (long)f.Extents),
            Pieces: files.Sum(f => (long)f.Pieces),
            FragmentedFiles: files.Count(f => f.Pieces > 1),
            Score: Math.Round(FileLayout.ScoreOf(files.Sum(f => (long)Math.Max(0, f.Pieces - 1)), placed), 2),
            Histogram: scan.Histogram.Classes(),
            WorstFiles:
            [
                .. files.Where(f => f.Pieces > 1)
                    .OrderByDescending(f => f.Pieces).ThenByDescending(f => f.Score).ThenBy(f => f.Path, StringComparer.Ordinal)
                        .Take(worst),
            ],
            FileExtents: isFolder ? null : scan.LastExtents,
            Failures: scan.Failures,
            Interrupted: scan.IsInterrupted);
    }
}

[JsonSourceGenerationOptions(
    WriteIndented = true, PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, RespectNullableAnnotations = true,
    RespectRequiredConstructorParameters = true)]
[JsonSerializable(typeof(ExtentReport))]
internal sealed partial class ExtentJsonContext : JsonSerializerContext;
