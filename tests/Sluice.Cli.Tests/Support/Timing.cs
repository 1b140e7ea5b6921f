using Sluice.Cli.Programs.Measuring;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Tests.Support;

/// <summary>Runs rows of `methods`, `examples` and `ops` once each.</summary>
internal static class Timing
{
    public static async Task<RowTimer> RunAsync(string folder, params IReadOnlyList<TimedRow> rows)
    {
        using var progress = new LiveProgress(new TerminalStreams(TextWriter.Null, TextWriter.Null, () => TextReader.Null), quiet: true);
        var timer = new RowTimer(folder, rounds: 1, progress, CancellationToken.None);
        await timer.MeasureAsync(rows);
        return timer;
    }

    public static async Task<IEnumerable<string>> WrongAsync(string folder, params IReadOnlyList<TimedRow> rows) =>
        (await RunAsync(folder, rows)).Results.Where(r => r.Wrong is not null).Select(r => r.Name);
}
