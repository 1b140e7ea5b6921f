namespace Sluice.Cli.Report.Pages;

/// <param name="Unit">"B" on an axis of sizes gives ticks of 4 KiB and 1 MiB; other units stand beside the label.</param>
/// <param name="IsLog">Logarithmic: values of 0 and below are left out.</param>
/// <param name="LessIsBetter">Of times and costs: a bar below the chart's reference line is then the good one.</param>
/// <param name="Categories">Names instead of numbers: the values of X are then 0, 1, 2 ... in their order.</param>
internal sealed record ChartAxis(
    string Label, string? Unit = null, bool IsLog = false, IReadOnlyList<string>? Categories = null, bool LessIsBetter = false);
