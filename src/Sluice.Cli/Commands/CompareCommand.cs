using System.CommandLine;
using Sluice.Cli.Compare;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>`sluice compare`: compares two results.</summary>
internal static class CompareCommand
{
    public static CommandBinder Define(OptionList command)
    {
        Argument<string> firstArgument =
            command.Argument(new Argument<string>("A.json") { Description = "The result of the first run, as --json wrote it." });
        Argument<string> secondArgument =
            command.Argument(new Argument<string>("B.json") { Description = "The result of the second run of the same command." });
        return (result, context) =>
        {
            if (result.GetValue(firstArgument) is not { Length: > 0 } first
                || result.GetValue(secondArgument) is not { Length: > 0 } second)
                throw new UsageException("two results are needed; try: sluice compare A.json B.json");
            if ((context.Output.OptionNaming(first) ?? context.Output.OptionNaming(second)) is { } option)
                throw new UsageException($"{option} names a result that is compared");
            return () => Task.FromResult(Run(first, second, context));
        };
    }

    private static int Run(string first, string second, CommandContext context)
    {
        (ResultFile before, ResultFile after) =
            InterruptSignals.WhileNothingHasBegun(() => (ResultFile.Read(first), ResultFile.Read(second)));
        context.Output.Check(context.Terminal);
        ReportPage page;
        try
        {
            page = ComparePage.Of(before, after, context.Arguments);
        }
#pragma warning disable CA1031 // Thrown for lists with a null element, which the deserializer accepts.
        catch (Exception e) when (e is not UsageException)
#pragma warning restore CA1031
        {
            throw new UsageException($"{first} and {second} cannot be compared: one of them is not as sluice wrote it");
        }
        // The notes (both runs, and the differences of their machines) are printed above the result, so WriteResult gets a page without
        // them.
        foreach (string note in page.Notes)
            context.Terminal.WriteLine(note);
        context.Terminal.WriteLine();
        PageText.WriteResult(context.Terminal, page with { Notes = [] });
        context.Output.Write(context.Terminal, page);
        return ExitCode.Success;
    }
}
