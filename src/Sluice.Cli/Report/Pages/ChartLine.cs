namespace Sluice.Cli.Report.Pages;

/// <summary>A value of the Y axis to draw across a chart, and what it is.</summary>
internal sealed record ChartLine(double Y, string Label);
