using System.Runtime.CompilerServices;
using System.Text.RegularExpressions;

namespace Sluice.Tests.Architecture;

/// <summary>The C# files of one project: in which room each lies, what it declares at its top level, and which names it uses.</summary>
internal sealed partial class SourceTree
{
    private const int TimeoutMs = 30_000;

    private SourceTree(string folder)
    {
        Folder = folder;
        Files =
        [
            .. PathsBelow(folder)
                .Select(path => new SourceFile(Path.GetRelativePath(folder, path).Replace('\\', '/'), File.ReadAllLines(path)))
                .OrderBy(f => f.Name, StringComparer.Ordinal),
        ];
    }

    public string Folder { get; }

    public IReadOnlyList<SourceFile> Files { get; }

    /// <summary>The root of the checkout.</summary>
    public static string Root { get; } = FindRoot();

    public static SourceTree Of(string project) => new(Path.Combine(Root, "src", project));

    /// <summary>Every type that is declared at the top level of a file, with the files that declare it.</summary>
    public ILookup<string, SourceFile> FilesOfTypes() =>
        Files.SelectMany(f => f.Declared.Select(type => (type, f))).ToLookup(p => p.type, p => p.f);

    /// <summary>The C# files below a folder but those that a build made.</summary>
    private static IEnumerable<string> PathsBelow(string folder) =>
        Directory.EnumerateFiles(folder, "*.cs", SearchOption.AllDirectories)
            .Where(path => !Path.GetRelativePath(folder, path).Split('/', '\\').Any(part => part is "obj" or "bin"));

    private static string FindRoot([CallerFilePath] string source = "") =>
        Path.GetFullPath(Path.Combine(Path.GetDirectoryName(source)!, "..", "..", ".."));

    /// <summary>One file; <paramref name="Name"/> is its path below the project.</summary>
    internal sealed partial record SourceFile(string Name, string[] Lines)
    {
        public string Room => Name.Contains('/', StringComparison.Ordinal) ? Name[..Name.IndexOf('/', StringComparison.Ordinal)] : "";

        public string? Namespace => Lines.Select(l => NamespaceLine().Match(l)).FirstOrDefault(m => m.Success)?.Groups["name"].Value;

        /// <summary>The text without comments, strings and using directives: what is left names what the file needs.</summary>
        public string Code { get; } = CodeOf(Lines);

        public IReadOnlyList<string> Declared { get; } =
            [.. Declaration().Matches(CodeOf(Lines)).Select(m => m.Groups["name"].Value).Distinct()];

        public IReadOnlySet<string> Identifiers { get; } =
            Identifier().Matches(CodeOf(Lines)).Select(m => m.Value).ToHashSet(StringComparer.Ordinal);

        /// <summary>Whether a type of that namespace can be named without saying the namespace.</summary>
        public bool Sees(string space) =>
            Namespace == space
            || Namespace?.StartsWith(space + ".", StringComparison.Ordinal) == true
            || Lines.Contains($"using {space};")
            || Lines.Any(l => l.StartsWith($"using static {space}.", StringComparison.Ordinal));

        private static string CodeOf(string[] lines)
        {
            IEnumerable<string> kept =
                lines.Where(l => !l.StartsWith("using ", StringComparison.Ordinal) || l.Contains('=', StringComparison.Ordinal));
            string text = RawString().Replace(string.Join('\n', kept), "\"\"");
            return CommentOrString().Replace(text, m => m.Value[0] == '/' ? "" : $"\"{HolesOf(text, m)}\"");
        }

        /// <summary>Of an interpolated string the code in its holes; of any other string nothing.</summary>
        private static string HolesOf(string text, Match literal) =>
            literal.Index > 0 && text[literal.Index - 1] == '$'
                ? string.Join(' ', Hole().Matches(literal.Value).Select(m => m.Value))
                : "";

        [GeneratedRegex(@"\{[^{}]*\}", RegexOptions.None, TimeoutMs)]
        private static partial Regex Hole();

        [GeneratedRegex(@"^namespace (?<name>[\w.]+);", RegexOptions.ExplicitCapture, TimeoutMs)]
        private static partial Regex NamespaceLine();

        [GeneratedRegex("\"\"\"(?s:.*?)\"\"\"", RegexOptions.None, TimeoutMs)]
        private static partial Regex RawString();

        [GeneratedRegex(@"//[^\n]*|/\*(?s:.*?)\*/|@""(?:[^""]|"""")*""|""(?:\\.|[^""\\\n])*""|'(?:\\.|[^'\\\n])'", RegexOptions.None,
            TimeoutMs)]
        private static partial Regex CommentOrString();

        [GeneratedRegex(
            @"^(?<modifiers>((public|internal|file|static|sealed|abstract|readonly|ref|unsafe|partial)\s+)*)"
            + @"(class|struct|interface|enum|record( struct| class)?|delegate\s+[\w<>\[\]?,. ]+?)\s+(?<name>[A-Z]\w*)",
            RegexOptions.Multiline | RegexOptions.ExplicitCapture,
            TimeoutMs)]
        private static partial Regex Declaration();

        [GeneratedRegex(@"\b[A-Z]\w*\b", RegexOptions.None, TimeoutMs)]
        private static partial Regex Identifier();
    }
}
