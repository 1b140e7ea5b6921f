using System.Globalization;
using Sluice.Cli.Bench;
using Sluice.Cli.Programs;
using Sluice.Cli.Programs.Tables;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>`sluice tables`: the tables of the .NET 6 text, .NET of today and Sluice side by side.</summary>
internal sealed class TablesCommand(
    TablesOptions options, IReadOnlyList<string> arguments, TerminalStreams terminal, CancellationToken cancellationToken)
{
    // The one that is read, and one that each side writes.
    private const int LargestFiles = 3;

    private readonly MethodTable[] _tables =
    [
        .. MethodTables.All(options.Scale)
            .Where(t => options.Table is null || t.Heading.Contains(options.Table, StringComparison.OrdinalIgnoreCase)),
    ];

    public async Task<int> RunAsync()
    {
        ProgramRun.Prepare(options.Directory, (LargestFiles * options.Scale.StreamFileBytes) + BenchScale.SpareBytes, terminal);
        options.Output.Check(terminal);
        (MethodTable Table, TableCase Case)[] cases = [.. _tables.SelectMany(t => t.Cases, (t, c) => (t, c))];
        // Passes over 100 MiB take longer than a slice.
        TimeSpan budget = options.Scale.StreamSliceTime * cases.Length * 2 * (options.Scale.Rounds + 1.5) * 1.3;
        ProgramRun.Announce(terminal, Counted.Of(cases.Length, "method"), budget.TotalSeconds);
        DateTimeOffset began = DateTimeOffset.UtcNow;
        StepResults<(MethodTable Table, TableCase Case, RowReport Row)> measured;
        FioRunner fio = await FioRunner.DetectAsync(cancellationToken);
        using (ScratchFolder scratch = ScratchFolder.Create(options.Directory, terminal.TellAtEnd))
        using (var progress = new LiveProgress(terminal, quiet: false))
        {
            var runner = new RowRunner(new BenchContext(scratch.FullPath, options.Scale, cancellationToken), fio, cancellationToken);
            measured = await ProgramRun.RunStepsAsync(cases, async step =>
            {
                progress.Show(() => $"{step.Table.Heading}: {step.Case.Method} {string.Join(' ', step.Case.Arguments)}");
                return (step.Table, step.Case, await runner.RunAsync(AsSuite, AsRow(step.Case)));
            }, cancellationToken);
        }
        var page = new ReportPage
        {
            Title = "File IO improvements in .NET 6: its tables",
            CommandLine = ReportPage.CommandLineOf(arguments),
            Began = began,
            Environment = EnvironmentProbe.ForPath(options.Directory),
            Notes = [.. Notes(measured.Time), .. measured.Notes()],
            Sections = [.. measured.Results.GroupBy(m => m.Table)
                .Select(t => TableSections.Make(t.Key, [.. t.Select(m => (m.Case, m.Row))]))],
        };
        return ProgramRun.Finish(terminal, options.Output, page, measured);
    }

    private static readonly Suite AsSuite = new("tables", "", 0, static scale => scale.StreamSliceTime, []);

    private static Row AsRow(TableCase @case) => new(@case.Method, @case.Method, "", @case.Open);

    private List<string> Notes(TimeSpan time)
    {
        List<string> notes =
        [
            string.Create(CultureInfo.InvariantCulture,
                $"times: {ProgramRun.Rounds(options.Scale.Rounds)} in turns, slices of at least "
                    + $"{options.Scale.StreamSliceTime.TotalMilliseconds:0} ms; {time.TotalSeconds:0} s in all"),
            "Ratio: time to .NET's time, as in the text: below 1 is faster; Allocated: managed bytes an operation",
        ];
        if (options.Quick)
            notes.Add("quick run: shows that everything works; its figures mean nothing");
        return notes;
    }
}
