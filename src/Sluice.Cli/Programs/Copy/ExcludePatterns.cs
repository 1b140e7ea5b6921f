using System.IO.Enumeration;

namespace Sluice.Cli.Programs.Copy;

/// <summary>
/// --exclude: a pattern without a slash is held against each name, one with a slash against the path from the source; * stands for any
/// characters, ? for one.
/// </summary>
internal sealed class ExcludePatterns(IReadOnlyList<string> patterns)
{
    public bool IsEmpty => patterns.Count == 0;

    /// <param name="relativePath">From the source, with '/' between the names.</param>
    public bool Excludes(string relativePath)
    {
        string name = relativePath[(relativePath.LastIndexOf('/') + 1)..];
        return patterns.Any(pattern => Matches(pattern, IsPath(pattern) ? relativePath : name));
    }

    /// <summary>Whether a source itself is left out. It has no name where it ends in "." or "..", and no path from itself.</summary>
    public bool ExcludesSource(string source)
    {
        string name = Path.GetFileName(Path.TrimEndingDirectorySeparator(source));
        return name is not ("" or "." or "..") && patterns.Any(pattern => !IsPath(pattern) && Matches(pattern, name));
    }

    private static bool IsPath(string pattern) => pattern.Contains('/', StringComparison.Ordinal);

    private static bool Matches(string pattern, string held) =>
        FileSystemName.MatchesSimpleExpression(pattern.AsSpan().Trim('/'), held, ignoreCase: false);
}
