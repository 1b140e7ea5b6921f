using System.Text.Json.Serialization;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Copy;

/// <summary>The result of `sluice copy`, which is also its JSON: the totals and each copy.</summary>
internal sealed record CopyReport
{
    public int FormatVersion { get; init; } = 1;

    public required DateTimeOffset Started { get; init; }

    public required IReadOnlyList<string> Arguments { get; init; }

    public EnvironmentRecord? Environment { get; init; }

    /// <summary>The sources that were to be copied, whether they were or not.</summary>
    public IReadOnlyList<string> Sources { get; init => field = value ?? []; } = [];

    public required string Target { get; init; }

    /// <summary>The part of the tree and the number of parts; null for the whole tree.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public int? ShardIndex { get; init; }

    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public int? ShardCount { get; init; }

    public required long Bytes { get; init; }

    public required long Files { get; init; }

    public required long UnchangedFiles { get; init; }

    public required int Failed { get; init; }

    /// <summary>True if a signal ended the run, so that the last of <see cref="Copies"/> is not complete.</summary>
    public bool Interrupted { get; init; }

    /// <summary>The number of sources that were not started, after an interruption or a full or read-only disk.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public int NotBegun { get; init; }

    public required double Seconds { get; init; }

    public required double CpuSeconds { get; init; }

    public required double MiBPerSecond { get; init; }

    public required IReadOnlyList<CopyRecord> Copies { get; init; }

    public static double Rate(long bytes, double seconds) => bytes / (double)ByteSize.MiB / Math.Max(seconds, 1e-6);
}

/// <summary>The copy of one source.</summary>
internal sealed record CopyRecord
{
    public required string Source { get; init; }

    public required string Target { get; init; }

    /// <summary>True if a signal ended the copy. Bytes and files are those copied before the signal, whether they remain or not.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public bool Interrupted { get; init; }

    public required long Bytes { get; init; }

    public long ResumedBytes { get; init; }

    public required long Files { get; init; }

    public long Folders { get; init; }

    public long ChangedFiles { get; init; }

    public long UnchangedFiles { get; init; }

    public required double Seconds { get; init; }

    public required double CpuSeconds { get; init; }

    public double MiBPerSecond => CopyReport.Rate(Bytes, Seconds);

    /// <summary>The name of the method on the command line: reflink, range, direct, buffered.</summary>
    public required string Method { get; init; }

    public required string Reason { get; init; }

    /// <summary>The number of outstanding requests of a direct copy; 0 for other copies.</summary>
    public int Depth { get; init; }

    /// <summary>The error messages.</summary>
    public IReadOnlyList<string> Failures { get; init; } = [];
}

[JsonSourceGenerationOptions(WriteIndented = true, PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, RespectNullableAnnotations = true,
    RespectRequiredConstructorParameters = true)]
[JsonSerializable(typeof(CopyReport))]
internal sealed partial class CopyJsonContext : JsonSerializerContext;
