using System.Text.RegularExpressions;
using Shouldly;
using Sluice.Cli.Commands;
using Sluice.Cli.Load;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Readme;

/// <summary>The command lines and the options in the documents are those of the tool.</summary>
[Trait("Runs", "once")]
public sealed partial class DocumentedCommandTests
{
    private static readonly string CliPage = Path.Combine(ReadmeTests.Root, "docs", "cli.md");

    private static readonly string[] EveryCommandHas = ["--json", "--html", "--csv", "--overwrite", "--wide", "--help", "-?", "-h"];

    // Programs that are replayed or replaced, whose command lines the page therefore has.
    private static readonly string[] Replayed = ["speed", "frag", "examples", "copy", "methods", "ops"];

    public static TheoryData<string, string> CommandLines
    {
        get
        {
            var lines = new TheoryData<string, string>();
            foreach (string document in DocumentTests.Documents())
            {
                foreach (string line in LinesOf(document).Distinct())
                    lines.Add(Path.GetRelativePath(ReadmeTests.Root, document), line);
            }
            return lines;
        }
    }

    /// <summary>Parsing checks the values of options and their combinations, too. Nothing is run.</summary>
    [Theory]
    [MemberData(nameof(CommandLines))]
    public void A_command_line_in_a_document_is_valid(string document, string line)
    {
        var terminal = new TerminalStreams(TextWriter.Null, TextWriter.Null, () => TextReader.Null);
        // The launcher in front of the command sets the variables that "auto" reads.
        string[] arguments = [.. line.Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(a => a == "auto" ? "0/16" : a.Trim('\''))];
        Should.NotThrow(() => SluiceTool.Parse(arguments, terminal, CancellationToken.None), $"{document}: sluice {line}");
    }

    [Fact]
    public void The_page_of_the_tool_has_command_lines_of_every_program_that_is_replayed()
    {
        string[] lines = [.. LinesOf(CliPage)];
        foreach (string command in Replayed)
            lines.Count(l => l.Split(' ')[0] == command).ShouldBeGreaterThanOrEqualTo(2, command);
    }

    [Fact]
    public async Task The_page_of_the_tool_names_the_options_of_each_command_and_no_others()
    {
        string page = await File.ReadAllTextAsync(CliPage);
        foreach (string option in EveryCommandHas.Where(o => o.Length > 2))
            page.ShouldMatch($"`([^`]* )?{option}`");
        string[] sections = page.Split("\n## `sluice ")[1..];
        sections.Length.ShouldBe(15);
        foreach (string section in sections)
        {
            string command = section[..section.IndexOfAny([' ', '`'])];
            // Optional values and the lines between cells are left out: "`-t` | `--time` seconds" is "`-t`, `--time` seconds".
            string text = section.Replace("[size]", "").Replace(" [size]`", "`").Replace("` | `", "`, `");
            string[][] options = [.. await OptionsOf(command)];
            foreach (string[] option in options)
                text.ShouldMatch($"`{string.Join("`, `", option.Select(Regex.Escape))}[` =]", $"{command}: {string.Join(", ", option)}");
            text.Split('\n').Where(l => l.StartsWith("| `-", StringComparison.Ordinal) || l.StartsWith("| | `-", StringComparison.Ordinal))
                .SelectMany(l => OptionName().Matches(l[..l.LastIndexOf(" | ", StringComparison.Ordinal)]).Select(m => m.Value))
                .Except(options.SelectMany(o => o)).Except(EveryCommandHas).ShouldBeEmpty(command);
        }
    }

    [Fact]
    public async Task The_page_of_the_tool_names_the_columns_of_the_quiet_line_in_their_order() =>
        (await File.ReadAllTextAsync(CliPage)).Replace(",\n", ", ").ShouldContain($"```\n{string.Join(", ", SpeedCsv.Columns)}\n```");

    /// <summary>Returns the names of each option of a command, the short one first, but for those that every command has.</summary>
    private static async Task<IEnumerable<string[]>> OptionsOf(string command)
    {
        ToolRun help = await ToolRun.SucceedAsync(command, "--help");
        return help.Out.Split('\n').SkipWhile(l => l != "Options:").Skip(1).TakeWhile(l => l.Length > 0)
            .Select(l => OptionName().Matches(l.Trim().Split("  ")[0]).Select(m => m.Value).ToArray())
            .Where(names => !names.Any(EveryCommandHas.Contains));
    }

    private static IEnumerable<string> LinesOf(string document)
    {
        bool isCode = false;
        foreach (string line in File.ReadLines(document).Where(l => !l.StartsWith('#')))
        {
            if (line.StartsWith("```", StringComparison.Ordinal))
                isCode = !isCode;
            // COMMAND stands for any of the commands.
            foreach (Match match in (isCode ? InBlock().Matches(line.Split(" # ")[0]) : InText().Matches(line))
                .Where(m => !m.Value.Contains("COMMAND", StringComparison.Ordinal)))
                yield return match.Groups["line"].Value.Trim();
        }
    }

    /// <summary>A command line in a block of code: up to its end, a pipe, a semicolon, or the quote in which a shell gets it.</summary>
    [GeneratedRegex("(^| |')sluice (?<line>([^;|']|(?<= )'[^']*')+)", RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex InBlock();

    /// <summary>A command line with arguments in a paragraph. Without arguments it is the name of the command.</summary>
    [GeneratedRegex("`sluice (?<line>(--[^`|]+|[a-z]+ [^`|]+))", RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex InText();

    [GeneratedRegex("(?<![A-Za-z0-9-])--?[A-Za-z?][A-Za-z-]*", RegexOptions.None, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex OptionName();
}
