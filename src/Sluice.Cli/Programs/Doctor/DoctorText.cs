using Sluice.Cli.Report;
using Sluice.Cli.Terminal;
using Spectre.Console;

namespace Sluice.Cli.Programs.Doctor;

/// <summary>Findings as people read them: the answer first, below it what follows.</summary>
internal static class DoctorText
{
    private const int NameWidth = 26;
    private const int MarkWidth = 5;

    public static void Write(TerminalStreams terminal, EnvironmentRecord environment, IReadOnlyList<FindingGroup> groups)
    {
        EnvironmentText.Write(terminal.Out, environment);
        foreach (FindingGroup group in groups)
        {
            terminal.Out.WriteLine();
            terminal.Out.WriteLine(group.Name);
            foreach (Finding finding in group.Findings)
                Write(terminal, finding);
        }
        terminal.Out.WriteLine();
        terminal.Out.WriteLine("yes: there; no: not there; -: a fact; ?: could not be tried here");
    }

    private static void Write(TerminalStreams terminal, Finding finding)
    {
        terminal.Out.Write($"  {finding.Name,-NameWidth}");
        WriteMark(terminal, finding);
        terminal.Out.WriteLine(finding.Reason);
        if (finding.Consequence.Length > 0)
            terminal.Out.WriteLine($"  {"",-NameWidth - MarkWidth}so: {finding.Consequence}");
    }

    private static void WriteMark(TerminalStreams terminal, Finding finding)
    {
        string mark = finding.Mark.PadRight(MarkWidth);
        Color? color = finding.State switch { FindingState.Yes => Color.Green, FindingState.No => Color.Yellow, _ => null };
        if (terminal.IsOutputTerminal && color is { } c)
            terminal.AnsiOut().Write(new Text(mark, new Style(c)));
        else
            terminal.Out.Write(mark);
    }
}
