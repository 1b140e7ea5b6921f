using System.CommandLine;
using Sluice.Cli.Commands;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Tests.Support;

internal static class SpeedParsing
{
    /// <summary>From a command line as one would type it to checked options, without running anything.</summary>
    public static SpeedOptions Parse(string commandLine)
    {
        var command = new Command("speed");
        var options = new OptionList(command);
        Func<ParseResult, SpeedOptions> bind = SpeedOptions.Define(options);
        List<string> rewritten = options.Expand(
            commandLine.Split(' ', StringSplitOptions.RemoveEmptyEntries));
        ParseResult result = command.Parse(rewritten);
        return result.Errors.Count == 0 ? bind(result) : throw new UsageException(result.Errors[0].Message);
    }
}
