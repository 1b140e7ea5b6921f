using System.CommandLine;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>One checked `merge` command line.</summary>
internal sealed record MergeOptions(IReadOnlyList<string> Results, PageOutput Output)
{
    /// <summary>Adds the options of `merge` to the command.</summary>
    /// <returns>From what was parsed to checked values; throws <see cref="UsageException"/> where they make no sense.</returns>
    public static Func<ParseResult, MergeOptions> Define(OptionList command)
    {
        Argument<string[]> resultsArgument = command.Argument(new Argument<string[]>("RESULT.json")
        {
            Description = "The results of a copy's shards, or of speed's ranks, as --json wrote them; in any order.",
            Arity = ArgumentArity.ZeroOrMore,
        });
        Func<ParseResult, PageOutput> outputOf = PageOutput.Define(command);
        return Bind;

        MergeOptions Bind(ParseResult result)
        {
            string[] results = result.GetValue(resultsArgument) ?? [];
            if (results.Length == 0 || Array.Exists(results, r => r.Length == 0))
                throw new UsageException("results are needed; try: sluice merge shard*.json");
            PageOutput output = outputOf(result);
            if (results.Select(output.OptionNaming).FirstOrDefault(o => o is not null) is { } option)
                throw new UsageException($"{option} names a result that is merged");
            return new MergeOptions(results, output);
        }
    }
}
