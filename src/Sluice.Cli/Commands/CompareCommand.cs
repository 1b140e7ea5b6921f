using Sluice.Cli.Compare;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>`sluice compare`: two results side by side, and what changed beyond noise.</summary>
internal sealed class CompareCommand(CompareOptions options, IReadOnlyList<string> arguments, TerminalStreams terminal)
{
    public Task<int> RunAsync()
    {
        (ResultFile first, ResultFile second) = InterruptSignals.WhileNothingHasBegun(
            () => (ResultFile.Read(options.First), ResultFile.Read(options.Second)));
        options.Output.Check(terminal);
        ReportPage page = ComparePage.Of(first, second, arguments);
        // Above the result stands what both runs are; their machine is in the notes where it differs.
        foreach (string note in page.Notes)
            terminal.WriteLine(note);
        terminal.WriteLine();
        PageText.WriteResult(terminal, page with { Notes = [] });
        options.Output.Write(terminal, page);
        return Task.FromResult(ExitCode.Success);
    }
}
