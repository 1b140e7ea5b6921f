using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;
using Spectre.Console;

namespace Sluice.Cli.Programs.Doctor;

/// <summary>Formats findings as text: the answer, and below it the consequence.</summary>
internal static class DoctorText
{
    private const int NameWidth = 26;
    private const int MarkWidth = 5;
    private const int Indent = 2 + NameWidth + MarkWidth;

    public static void Write(TerminalStreams terminal, EnvironmentRecord environment, IReadOnlyList<FindingGroup> groups)
    {
        PageText.WriteFacts(terminal, environment);
        foreach (FindingGroup group in groups)
        {
            terminal.WriteLine();
            terminal.WriteLine(group.Name);
            foreach (Finding finding in group.Findings)
                Write(terminal, finding);
        }
        terminal.WriteLine();
        terminal.WriteLine("yes: there; no: not there; -: a fact; ?: could not be tried here");
    }

    private static void Write(TerminalStreams terminal, Finding finding)
    {
        terminal.Out.Write($"  {finding.Name,-NameWidth}");
        WriteMark(terminal, finding);
        terminal.WriteLine(finding.Reason, Indent, used: Indent);
        if (finding.Consequence.Length > 0)
            terminal.WriteLine($"{new string(' ', Indent)}so: {finding.Consequence}", hang: Indent + 4);
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
