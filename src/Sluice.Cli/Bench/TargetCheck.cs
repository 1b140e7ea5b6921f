using System.Globalization;

namespace Sluice.Cli.Bench;

/// <summary>Holds a measured row against what it must reach, as printed: to two decimals.</summary>
internal static class TargetCheck
{
    public static IReadOnlyList<TargetReport> Evaluate(RowTarget target, RowReport row)
    {
        var results = new List<TargetReport>();
        AtLeast("ratio", target.MinRatio, row.Ratio);
        // The targets limit Sluice's CPU as a share of .NET's; the report's ratio is the inverse of it.
        if (row.CpuRatio > 0)
            AtMost("CPU share", target.MaxCpuShare, 1 / row.CpuRatio);
        AtLeast(row.Second is null ? "" : $"to {row.Second.Name}", target.MinSecondRatio, row.SecondRatio);
        AtLeast("to fio", target.MinFioRatio, row.FioRatio);
        AtMost("ms", target.MaxMilliseconds, 1000 / row.Sluice.Rate);
        AtMost("ns", target.MaxNanoseconds, 1e9 / row.Sluice.Rate);
        AtLeast("MiB/s", target.MinMiBPerSecond is { } rate ? Math.Round(rate) : null, row.Sluice.Rate);
        AtMost("B/op", target.MaxAllocatedBytes, Math.Round(row.Sluice.AllocatedBytesPerOperation));
        if (target.AllocatesNoMore)
            AtMost("B/op", Math.Round(row.DotNet.AllocatedBytesPerOperation), Math.Round(row.Sluice.AllocatedBytesPerOperation));
        return results;

        void AtLeast(string name, double? limit, double? actual)
        {
            if (limit is { } min && actual is { } value)
                results.Add(new TargetReport(Text($"{name} >= {Math.Round(min, 2)}"), value, Math.Round(value, 2) >= min));
        }

        void AtMost(string name, double? limit, double? actual)
        {
            if (limit is { } max && actual is { } value)
                results.Add(new TargetReport(Text($"{name} <= {Math.Round(max, 2)}"), value, Math.Round(value, 2) <= max));
        }
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
