using System.Text.Json.Serialization;
using Sluice.Cli.Programs.Extents;
using Sluice.Cli.Programs.Frag;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Report;

[JsonSourceGenerationOptions(WriteIndented = true, PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(SpeedReport))]
[JsonSerializable(typeof(BenchReport))]
[JsonSerializable(typeof(ExtentReport))]
[JsonSerializable(typeof(FragReport))]
[JsonSerializable(typeof(ReportPage))]
internal sealed partial class ReportJsonContext : JsonSerializerContext;
