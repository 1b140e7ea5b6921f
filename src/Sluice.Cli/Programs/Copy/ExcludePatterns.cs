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
        ReadOnlySpan<char> name = relativePath.AsSpan(relativePath.LastIndexOf('/') + 1);
        foreach (string pattern in patterns)
        {
            ReadOnlySpan<char> wanted = pattern.AsSpan().TrimEnd('/');
            bool isPath = wanted.Contains('/');
            ReadOnlySpan<char> held = isPath ? relativePath : name;
            if (FileSystemName.MatchesSimpleExpression(isPath ? wanted.TrimStart('/') : wanted, held, ignoreCase: false))
                return true;
        }
        return false;
    }
}
