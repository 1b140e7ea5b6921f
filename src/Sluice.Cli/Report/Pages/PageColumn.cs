using System.Text.Json.Serialization;

namespace Sluice.Cli.Report.Pages;

/// <param name="Unit">Of every number in the column, such as "MiB/s"; null without one.</param>
internal sealed record PageColumn(string Name, string? Unit = null, ColumnKind Kind = ColumnKind.Number)
{
    [JsonIgnore]
    public string Header => Unit is null ? Name : $"{Name}, {Unit}";

    public static PageColumn Text(string name) => new(name, null, ColumnKind.Text);
}
