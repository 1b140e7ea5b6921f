using System.CommandLine;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>One checked `compare` command line.</summary>
internal sealed record CompareOptions(string First, string Second, PageOutput Output)
{
    /// <summary>Adds the options of `compare` to the command.</summary>
    /// <returns>From what was parsed to checked values; throws <see cref="UsageException"/> where they make no sense.</returns>
    public static Func<ParseResult, CompareOptions> Define(OptionList command)
    {
        Argument<string> firstArgument =
            command.Argument(new Argument<string>("A.json") { Description = "The result of the first run, as --json wrote it." });
        Argument<string> secondArgument =
            command.Argument(new Argument<string>("B.json") { Description = "The result of the second run of the same command." });
        Func<ParseResult, PageOutput> outputOf = PageOutput.Define(command);
        return Bind;

        CompareOptions Bind(ParseResult result)
        {
            if (result.GetValue(firstArgument) is not { Length: > 0 } first
                || result.GetValue(secondArgument) is not { Length: > 0 } second)
                throw new UsageException("two results are needed; try: sluice compare A.json B.json");
            PageOutput output = outputOf(result);
            if ((output.OptionNaming(first) ?? output.OptionNaming(second)) is { } option)
                throw new UsageException($"{option} names a result that is compared");
            return new CompareOptions(first, second, output);
        }
    }
}
