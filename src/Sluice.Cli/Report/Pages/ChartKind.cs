using System.Text.Json.Serialization;

namespace Sluice.Cli.Report.Pages;

[JsonConverter(typeof(JsonStringEnumConverter<ChartKind>))]
internal enum ChartKind { Line, Bar }
