using System.IO.Enumeration;

namespace Sluice.Cli.Programs.Copy;

/// <summary>
/// The patterns of --exclude. A pattern without a slash is compared with each name, and one with a slash with the path relative to the
/// source. * matches any characters, and ? one character.
/// </summary>
internal sealed class ExcludePatterns(IReadOnlyList<string> patterns)
{
    public bool IsEmpty => patterns.Count == 0;

    /// <param name="relativePath">The path relative to the source, with '/' between the names.</param>
    public bool Excludes(string relativePath)
    {
        string name = relativePath[(relativePath.LastIndexOf('/') + 1)..];
        return patterns.Any(pattern => Matches(pattern, IsPath(pattern) ? relativePath : name));
    }

    /// <summary>Returns true if a source itself is excluded. A source that ends in "." or ".." has no name.</summary>
    public bool ExcludesSource(string source)
    {
        string name = Path.GetFileName(Path.TrimEndingDirectorySeparator(source));
        return name is not ("" or "." or "..") && patterns.Any(pattern => !IsPath(pattern) && Matches(pattern, name));
    }

    private static bool IsPath(string pattern) => pattern.Contains('/', StringComparison.Ordinal);

    private static bool Matches(string pattern, string held) =>
        FileSystemName.MatchesSimpleExpression(pattern.AsSpan().Trim('/'), held, ignoreCase: false);
}
