using System.Text.Json.Serialization;

namespace Sluice.Cli.Report.Pages;

[JsonConverter(typeof(JsonStringEnumConverter<ColumnKind>))]
internal enum ColumnKind
{
    /// <summary>Flush left, sorted as text.</summary>
    Text,

    /// <summary>Flush right, sorted by <see cref="PageCell.Value"/>.</summary>
    Number,

    /// <summary>A line of code or a path, in a fixed pitch.</summary>
    Code,
}
