using Shouldly;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Readme;

/// <summary>The documents lead to one another, and none is left out.</summary>
public sealed class DocumentTests
{
    private const int MaxArchitectureLines = 120;

    private static readonly string[] Folders = ["src/", "tests/", "docs/", "bench/", "samples/"];
    private static readonly string Decisions = Path.Combine(ReadmeTests.Root, "docs", "decisions");

    [Fact]
    public void Links_lead_to_files_and_headings_that_exist()
    {
        string[] broken =
        [
            .. Documents().SelectMany(static document => LinkTargets(document)
                .Where(target => !Exists(document, target))
                .Select(target => $"{Path.GetRelativePath(ReadmeTests.Root, document)} -> {target}")),
        ];

        broken.ShouldBeEmpty();
    }

    [Fact]
    public void Paths_that_the_documents_name_exist()
    {
        // Decisions are as old as their date, and changes tell of what was.
        string[] missing =
        [
            .. Documents().Where(static document =>
                Path.GetDirectoryName(document) != Decisions && Path.GetFileName(document) != "CHANGELOG.md")
                .SelectMany(static document => NamedPaths(document)
                    .Where(static path => !Path.Exists(Path.Combine(ReadmeTests.Root, path)))
                    .Select(path => $"{Path.GetRelativePath(ReadmeTests.Root, document)} names {path}")),
        ];

        missing.ShouldBeEmpty();
    }

    [Fact]
    public void Every_decision_stands_in_the_index_by_number_and_title()
    {
        string index = File.ReadAllText(Path.Combine(Decisions, "README.md"));
        string[] files = [.. Directory.GetFiles(Decisions, "0*.md").Order(StringComparer.Ordinal)];

        files.ShouldNotBeEmpty();
        for (int i = 0; i < files.Length; i++)
        {
            string heading = File.ReadLines(files[i]).First();
            string number = $"{i + 1:0000}";
            heading.ShouldStartWith($"# {number}. ", customMessage: files[i]);
            index.ShouldContain($"| {number} | [{heading[8..]}]({Path.GetFileName(files[i])}) |");
        }
    }

    [Fact]
    public void Every_test_that_the_list_of_defects_names_exists()
    {
        string tests = Path.Combine(ReadmeTests.Root, "tests");
        string sources = string.Concat(
            Directory.EnumerateFiles(tests, "*.cs", SearchOption.AllDirectories).Select(File.ReadAllText));
        string[] names =
        [
            .. File.ReadAllText(Path.Combine(ReadmeTests.Root, "docs", "defects.md")).Split('`').Where(static (_, i) => i % 2 == 1)
                .Where(static n => char.IsAsciiLetterUpper(n[0]) && n.All(static c => c == '_' || char.IsAsciiLetterOrDigit(c))
                    && (n.Contains('_', StringComparison.Ordinal) || n.EndsWith("Tests", StringComparison.Ordinal))),
        ];

        names.Length.ShouldBeGreaterThan(50);
        names.Where(n => !sources.Contains($" {n}(", StringComparison.Ordinal) && !sources.Contains($"class {n}", StringComparison.Ordinal))
            .ShouldBeEmpty();
    }

    [Fact]
    public async Task Options_that_the_section_of_a_command_names_are_its_own_or_of_a_command_named_beside_them()
    {
        string[] fios = ["--ioengine", "--fdatasync"];
        string[] sections = File.ReadAllText(Path.Combine(ReadmeTests.Root, "docs", "cli.md")).Split("\n## `sluice ")[1..];
        var options = new Dictionary<string, string[]>(StringComparer.Ordinal);
        foreach (string command in sections.Select(CommandOf))
            options.Add(command, [.. OptionsIn((await ToolRun.RunAsync(command, "--help")).Out)]);

        options.Count.ShouldBeGreaterThan(10);
        options.ShouldAllBe(o => o.Value.Length > 1);
        string[] wrong =
        [
            .. from section in sections
               from paragraph in section.Split("\n\n")
               let words = Words(paragraph)
               from option in OptionsIn(paragraph).Except(fios)
               where !options.Any(o => (o.Key == CommandOf(section) || words.Contains(o.Key)) && o.Value.Contains(option))
               select $"{CommandOf(section)}: {option}",
        ];
        wrong.ShouldBeEmpty();

        static string CommandOf(string section) => section.Split([' ', '`'], 2)[0];
        static string[] Words(string text) =>
            text.Split(" \n`=|,;:.()[]/'".ToCharArray(), StringSplitOptions.RemoveEmptyEntries);
        static IEnumerable<string> OptionsIn(string text) =>
            Words(text).Where(w => w.Length > 2 && w.StartsWith("--", StringComparison.Ordinal) && char.IsAsciiLetter(w[2]));
    }

    [Fact]
    public void Architecture_fits_in_a_sitting() =>
        File.ReadAllLines(Path.Combine(ReadmeTests.Root, "docs", "architecture.md")).Length.ShouldBeLessThanOrEqualTo(MaxArchitectureLines);

    [Fact]
    public void Code_of_the_documents_stands_in_a_sample_or_a_test_and_so_compiles_and_runs()
    {
        string[] compiled =
        [
            .. Directory.GetDirectories(Path.Combine(ReadmeTests.Root, "samples"))
                .Select(static folder => Path.Combine(folder, "Program.cs"))
                .Append(Path.Combine(ReadmeTests.Root, "tests", "Sluice.Logging.Tests", "GuideTests.cs"))
                .Append(Path.Combine(ReadmeTests.Root, "tests", "Sluice.Clients.Tests", "TelemetryTests.cs"))
                .Where(File.Exists)
                .Select(static path => Statements(File.ReadLines(path))),
        ];
        (string Document, string Code)[] blocks = [.. Documents().SelectMany(static d => CodeBlocks(d).Select(code => (d, code)))];

        blocks.Length.ShouldBeGreaterThan(5);
        blocks
            .Where(block => !compiled.Any(file => file.Contains(block.Code, StringComparison.Ordinal)))
            .Select(static block => $"{Path.GetRelativePath(ReadmeTests.Root, block.Document)}: {block.Code}")
            .ShouldBeEmpty();
    }

    private static IEnumerable<string> CodeBlocks(string document)
    {
        string[] lines = File.ReadAllLines(document);
        for (int i = Array.IndexOf(lines, "```csharp"); i >= 0; i = Array.IndexOf(lines, "```csharp", i + 1))
        {
            yield return Statements(lines.Skip(i + 1).TakeWhile(static line => line != "```"));
        }
    }

    /// <summary>Lines without indentation, comments, and the directive that every sample has from its project.</summary>
    private static string Statements(IEnumerable<string> lines) =>
        string.Join('\n', lines
            .Select(static line => line.Split("//")[0].Trim())
            .Where(static line => line.Length > 0 && line != "using Sluice;"));

    private static IEnumerable<string> Documents() =>
        Directory.GetFiles(ReadmeTests.Root, "*.md")
            .Concat(Directory.GetFiles(Path.Combine(ReadmeTests.Root, "docs"), "*.md", SearchOption.AllDirectories));

    private static IEnumerable<string> LinkTargets(string document) =>
        File.ReadAllText(document).Split("](").Skip(1)
            .Select(static rest => rest[..rest.IndexOf(')', StringComparison.Ordinal)])
            .Where(static target => !target.Contains("://", StringComparison.Ordinal));

    /// <summary>What stands in code style on one line and begins with a folder of the repository.</summary>
    private static IEnumerable<string> NamedPaths(string document) =>
        File.ReadLines(document).SelectMany(static line => line.Split('`').Where(static (_, i) => i % 2 == 1))
            .Where(static text =>
                Folders.Any(folder => text.StartsWith(folder, StringComparison.Ordinal)) && !text.AsSpan().ContainsAny(" *<{"));

    private static bool Exists(string document, string target)
    {
        string[] parts = target.Split('#', 2);
        string file = parts[0].Length == 0 ? document : Path.Combine(Path.GetDirectoryName(document)!, parts[0]);
        return Path.Exists(file) && (parts.Length == 1 || File.ReadLines(file)
            .Any(line => line.StartsWith('#') && Anchor(line) == parts[1]));
    }

    /// <summary>A heading as the last part of an address: in small letters, blanks as hyphens, without the rest.</summary>
    private static string Anchor(string heading) => string.Concat(
        heading.TrimStart('#').Trim()
            .Where(static c => char.IsLetterOrDigit(c) || c is ' ' or '-' or '_')
            .Select(static c => c == ' ' ? '-' : char.ToLowerInvariant(c)));
}
