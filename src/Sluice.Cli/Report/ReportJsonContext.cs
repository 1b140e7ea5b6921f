using System.Text.Json.Serialization;

namespace Sluice.Cli.Report;

[JsonSourceGenerationOptions(WriteIndented = true, PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(SpeedReport))]
[JsonSerializable(typeof(BenchReport))]
internal sealed partial class ReportJsonContext : JsonSerializerContext;
