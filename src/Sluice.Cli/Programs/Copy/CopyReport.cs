using System.Text.Json.Serialization;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Copy;

/// <summary>What `sluice copy` did: the sum of its copies, and each of them; the JSON is this record.</summary>
internal sealed record CopyReport
{
    public int FormatVersion { get; init; } = 1;

    public required DateTimeOffset Started { get; init; }

    public required IReadOnlyList<string> Arguments { get; init; }

    public EnvironmentRecord? Environment { get; init; }

    public required string Target { get; init; }

    /// <summary>Which part of the tree this was, and of how many; null where it was all of it.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public int? ShardIndex { get; init; }

    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public int? ShardCount { get; init; }

    public required long Bytes { get; init; }

    public required long Files { get; init; }

    public required long UnchangedFiles { get; init; }

    public required int Failed { get; init; }

    /// <summary>By a signal: the last of <see cref="Copies"/> was not ended.</summary>
    public bool Interrupted { get; init; }

    /// <summary>Sources that a run did not come to, which was interrupted, or met a full or read-only disk.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public int NotBegun { get; init; }

    public required double Seconds { get; init; }

    public required double CpuSeconds { get; init; }

    public required double MiBPerSecond { get; init; }

    /// <summary>The notes of <see cref="Copies"/>, each once; null where there are none.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Note => Notes is { Count: > 0 } notes ? string.Join("; ", notes) : null;

    [JsonIgnore]
    public IReadOnlyList<string> Notes => [.. Copies.Select(c => c.Note).OfType<string>().Distinct()];

    public required IReadOnlyList<CopyRecord> Copies { get; init; }

    public static double Rate(long bytes, double seconds) => bytes / (double)ByteSize.MiB / Math.Max(seconds, 1e-6);
}

/// <summary>One source that was copied.</summary>
internal sealed record CopyRecord
{
    public required string Source { get; init; }

    public required string Target { get; init; }

    /// <summary>Whether a signal ended it: bytes and files are those until then, whatever is left of them.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public bool Interrupted { get; init; }

    /// <summary>Where an interrupted copy left what it had copied: the target, or what --resume goes on from; null: nowhere.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Left { get; init; }

    public required long Bytes { get; init; }

    public long ResumedBytes { get; init; }

    public required long Files { get; init; }

    public long Folders { get; init; }

    public long ChangedFiles { get; init; }

    public long UnchangedFiles { get; init; }

    public required double Seconds { get; init; }

    public required double CpuSeconds { get; init; }

    public double MiBPerSecond => CopyReport.Rate(Bytes, Seconds);

    /// <summary>As --method has it: reflink, range, direct, buffered.</summary>
    public required string Method { get; init; }

    public required string Reason { get; init; }

    /// <summary>Requests outstanding in a direct copy; 0 for the others.</summary>
    public int Depth { get; init; }

    /// <summary>What "direct" or "on the disk" means where it may mean nothing; null where they do what they say.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Note { get; init; }

    /// <summary>What could not be copied, a line each.</summary>
    public IReadOnlyList<string> Failures { get; init; } = [];

    /// <summary>Over the copy's time, in steps of about a tenth of a second: when each ended, and its rate.</summary>
    public IReadOnlyList<double> RateSeconds { get; init; } = [];

    public IReadOnlyList<double> RateMiBPerSecond { get; init; } = [];
}

[JsonSourceGenerationOptions(WriteIndented = true, PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, RespectNullableAnnotations = true)]
[JsonSerializable(typeof(CopyReport))]
internal sealed partial class CopyJsonContext : JsonSerializerContext;
