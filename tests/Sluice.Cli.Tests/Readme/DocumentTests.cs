using Shouldly;
using Xunit;

namespace Sluice.Cli.Tests.Readme;

/// <summary>Links, paths and code of the documents.</summary>
public sealed class DocumentTests
{
    private static readonly string[] Folders = ["src/", "tests/", "docs/", "bench/", "samples/"];

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
        string[] missing =
        [
            .. Documents().SelectMany(static document => NamedPaths(document)
                .Where(static path => !Path.Exists(Path.Combine(ReadmeTests.Root, path)))
                .Select(path => $"{Path.GetRelativePath(ReadmeTests.Root, document)} names {path}")),
        ];

        missing.ShouldBeEmpty();
    }

    [Fact]
    public void Code_of_the_documents_stands_in_a_sample_or_a_test_and_so_compiles_and_runs()
    {
        string[] compiled =
        [
            .. Directory.GetDirectories(Path.Combine(ReadmeTests.Root, "samples"))
                .Select(static folder => Path.Combine(folder, "Program.cs"))
                .Append(Path.Combine(ReadmeTests.Root, "tests", "Sluice.Logging.Tests", "GuideTests.cs"))
                .Append(Path.Combine(ReadmeTests.Root, "tests", "Sluice.Tests", "Compatibility", "WinFileIOTests.cs"))
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

    internal static IEnumerable<string> Documents() =>
        Directory.GetFiles(ReadmeTests.Root, "*.md")
            .Concat(Directory.GetFiles(Path.Combine(ReadmeTests.Root, "docs"), "*.md", SearchOption.AllDirectories))
            .Concat(Directory.GetDirectories(Path.Combine(ReadmeTests.Root, "src")).Select(static d => Path.Combine(d, "README.md")));

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
