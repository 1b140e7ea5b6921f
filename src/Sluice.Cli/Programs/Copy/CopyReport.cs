using System.Text.Json.Serialization;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Copy;

/// <summary>The result of `sluice copy`, which is also its JSON: the totals and each copy.</summary>
/// <param name="Sources">The sources that were to be copied, whether they were or not.</param>
/// <param name="Interrupted">True if a signal ended the run, so that the last of <see cref="Copies"/> is not complete.</param>
internal sealed record CopyReport(
    DateTimeOffset Started, IReadOnlyList<string> Arguments, EnvironmentRecord? Environment, IReadOnlyList<string> Sources,
    string Target, long Bytes, long Files, long UnchangedFiles, int Failed, bool Interrupted, double Seconds, double CpuSeconds,
    double MiBPerSecond, IReadOnlyList<CopyRecord> Copies)
{
    [JsonPropertyOrder(-1)]
    public int FormatVersion { get; init; } = 1;

    /// <summary>The part of the tree and the number of parts; null for the whole tree.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public int? ShardIndex { get; init; }

    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public int? ShardCount { get; init; }

    /// <summary>The number of sources that were not started, after an interruption or a full or read-only disk.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public int NotBegun { get; init; }

    public static double Rate(long bytes, double seconds) => bytes / (double)ByteSize.MiB / Math.Max(seconds, 1e-6);
}

/// <summary>The copy of one source.</summary>
/// <param name="Method">The name of the method on the command line: reflink, range, direct, buffered.</param>
/// <param name="Depth">The number of outstanding requests of a direct copy; 0 for other copies.</param>
/// <param name="Failures">The error messages.</param>
internal sealed record CopyRecord(
    string Source, string Target, long Bytes, long ResumedBytes, long Files, long Folders, long ChangedFiles, long UnchangedFiles,
    double Seconds, double CpuSeconds, double MiBPerSecond, string Method, string Reason, int Depth, IReadOnlyList<string> Failures)
{
    /// <summary>True if a signal ended the copy. Bytes and files are those copied before the signal, whether they remain or not.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public bool Interrupted { get; init; }
}

[JsonSourceGenerationOptions(
    WriteIndented = true, PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, RespectNullableAnnotations = true,
    RespectRequiredConstructorParameters = true)]
[JsonSerializable(typeof(CopyReport))]
internal sealed partial class CopyJsonContext : JsonSerializerContext;
