using System.CommandLine;
using Sluice.Cli.Bench;
using Sluice.Cli.Programs.Tables;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>One checked `tables` command line.</summary>
internal sealed record TablesOptions(string Directory)
{
    /// <summary>Only tables whose heading contains this, whatever its case.</summary>
    public string? Table { get; init; }

    public bool Quick { get; init; }

    public PageOutput Output { get; init; } = new();

    public BenchScale Scale => Quick
        ? BenchScale.Quick with { Rounds = 1, StreamSliceTime = TimeSpan.FromMilliseconds(2), StreamFileBytes = 256 * ByteSize.KiB }
        : BenchScale.Full with { Rounds = 5, StreamSliceTime = TimeSpan.FromMilliseconds(80) };

    /// <summary>Adds the options of `tables` to the command.</summary>
    /// <returns>From what was parsed to checked values; throws <see cref="UsageException"/> where they make no sense.</returns>
    public static Func<ParseResult, TablesOptions> Define(OptionList command)
    {
        Argument<string?> directory = command.OptionalArgument("DIR",
            "Where to make the scratch folder, which decides the disk that is measured (the temporary folder).");
        Option<string> table = command.Value("--table", null, "text",
            "Only the tables whose heading contains this text, as in readasync (all).");
        Option<bool> quick = command.Quick();
        Func<ParseResult, PageOutput> output = PageOutput.Define(command);
        return Bind;

        TablesOptions Bind(ParseResult result)
        {
            var options = new TablesOptions(result.GetValue(directory) ?? Path.GetTempPath())
            {
                Table = result.GetValue(table),
                Quick = result.GetValue(quick),
                Output = output(result),
            };
            string[] headings = [.. MethodTables.All(BenchScale.Quick).Select(t => t.Heading)];
            return options.Table is null || headings.Any(h => h.Contains(options.Table, StringComparison.OrdinalIgnoreCase))
                ? options
                : throw new UsageException($"no table '{options.Table}'; there are {string.Join(", ", headings)}");
        }
    }
}
