using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Compare;

/// <summary>Compares two results of one command.</summary>
internal static class ComparePage
{
    /// <exception cref="UsageException">The results have no row in common.</exception>
    public static ReportPage Of(ResultFile before, ResultFile after, IReadOnlyList<string> arguments)
    {
        IReadOnlyList<PageSection> sections = TableComparePage.Sections(before.Page, after.Page)
            ?? throw new UsageException($"{before.Path} and {after.Path} have no row in common");
        return new ReportPage
        {
            Title = "Two runs, side by side",
            CommandLine = ReportPage.CommandLineOf(arguments),
            Began = DateTimeOffset.UtcNow,
            Environment = after.Page.Environment,
            Notes =
            [
                $"first run: {before.Path}, {before.Page.Began.UtcDateTime:yyyy-MM-dd HH:mm} UTC, {before.Page.CommandLine}",
                $"second run: {after.Path}, {after.Page.Began.UtcDateTime:yyyy-MM-dd HH:mm} UTC, {after.Page.CommandLine}",
                .. EnvironmentNotes(before.Page.Environment, after.Page.Environment),
                $"a change is the second run over the first; its interval is Welch's on the "
                    + $"logarithms of the rounds, widened for the number of figures; it knows how much the rounds within each run differ, "
                    + $"and not how much this machine and disk differ from run to run: compare two runs of one program to see that; "
                    + $"figures of one round, and those that are no medians of rounds, have none",
            ],
            Sections = sections,
        };
    }

    // Free space is left out, because it always changes and explains no difference.
    private static IEnumerable<string> EnvironmentNotes(EnvironmentRecord? before, EnvironmentRecord? after)
    {
        if (before is null || after is null)
            yield break;
        foreach (((string label, string first), (_, string second)) in
            (before with { FreeBytes = null }).Facts().Zip((after with { FreeBytes = null }).Facts()).Where(f => f.First != f.Second))
        {
            yield return $"the {label} differs: {first}, then {second}";
        }
    }
}
