using System.Text.Json.Serialization;
using Sluice.Cli.Report;

namespace Sluice.Cli.Programs.Extents;

/// <summary>The result of `sluice extents`, which is also its JSON.</summary>
internal sealed record ExtentReport
{
    public int FormatVersion { get; init; } = 1;

    public DateTimeOffset Started { get; init; }

    public IReadOnlyList<string> Arguments { get; init => field = value ?? []; } = [];

    public required string Path { get; init; }

    public required EnvironmentRecord Environment { get; init; }

    public required int Files { get; init; }

    public required long SizeBytes { get; init; }

    public required long PlacedBytes { get; init; }

    public required long UnplacedBytes { get; init; }

    public required long Extents { get; init; }

    public required long Pieces { get; init; }

    /// <summary>The number of files in more than one piece.</summary>
    public required int FragmentedFiles { get; init; }

    /// <summary>The score of all files together, by the formula of <see cref="FileLayout.ScoreOf"/>.</summary>
    public required double Score { get; init; }

    public required IReadOnlyList<ExtentClass> Histogram { get; init; }

    public required IReadOnlyList<FileLayout> WorstFiles { get; init; }

    /// <summary>The extents of a single file; null for a folder.</summary>
    public IReadOnlyList<FileExtent>? FileExtents { get; init; }

    public required IReadOnlyList<string> Failures { get; init; }

    /// <summary>True if a signal ended the run, so that the result covers a part of the folder.</summary>
    public bool Interrupted { get; init; }

    /// <summary>The reason why the result is incomplete; null if it is complete.</summary>
    [JsonIgnore]
    public string? InterruptedNote => Interrupted ? "interrupted: what comes behind was not looked at" : null;

    public static ExtentReport Of(string path, bool isFolder, int worst, ExtentScan scan)
    {
        IReadOnlyList<FileLayout> files = scan.Files;
        long placed = files.Sum(f => f.PlacedBytes);
        return new ExtentReport
        {
            Path = path,
            Environment = EnvironmentProbe.ForPath(path),
            Files = files.Count,
            SizeBytes = files.Sum(f => f.SizeBytes),
            PlacedBytes = placed,
            UnplacedBytes = files.Sum(f => f.UnplacedBytes),
            Extents = files.Sum(f => (long)f.Extents),
            Pieces = files.Sum(f => (long)f.Pieces),
            FragmentedFiles = files.Count(f => f.Pieces > 1),
            Score = Math.Round(FileLayout.ScoreOf(files.Sum(f => (long)Math.Max(0, f.Pieces - 1)), placed), 2),
            Histogram = scan.Histogram.Classes(),
            WorstFiles =
            [
                .. files.Where(f => f.Pieces > 1)
                    .OrderByDescending(f => f.Pieces).ThenByDescending(f => f.Score).ThenBy(f => f.Path, StringComparer.Ordinal)
                        .Take(worst),
            ],
            FileExtents = isFolder ? null : scan.LastExtents,
            Failures = scan.Failures,
            Interrupted = scan.IsInterrupted,
        };
    }
}

[JsonSourceGenerationOptions(WriteIndented = true, PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, RespectNullableAnnotations = true)]
[JsonSerializable(typeof(ExtentReport))]
internal sealed partial class ExtentJsonContext : JsonSerializerContext;
