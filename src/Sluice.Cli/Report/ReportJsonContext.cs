using System.Text.Json.Serialization;
using Sluice.Cli.Programs.Extents;

namespace Sluice.Cli.Report;

[JsonSourceGenerationOptions(WriteIndented = true, PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(SpeedReport))]
[JsonSerializable(typeof(BenchReport))]
[JsonSerializable(typeof(ExtentReport))]
internal sealed partial class ReportJsonContext : JsonSerializerContext;
