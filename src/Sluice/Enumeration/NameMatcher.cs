using System.IO.Enumeration;

namespace Sluice.Enumeration;

/// <summary>Matches names against a pattern with the method of .NET. A pattern that matches every name needs no call.</summary>
internal sealed class NameMatcher
{
    private readonly string _expression;
    private readonly bool _isWin32;
    private readonly bool _ignoresCase;

    public NameMatcher(string pattern, EnumerationOptions options)
    {
        _isWin32 = options.MatchType == MatchType.Win32;
        _ignoresCase = options.MatchCasing == MatchCasing.CaseInsensitive
            || (options.MatchCasing == MatchCasing.PlatformDefault && (OperatingSystem.IsWindows() || OperatingSystem.IsMacOS()));
        _expression = _isWin32
            ? pattern is "" or "." or "*.*" ? "*" : FileSystemName.TranslateWin32Expression(Escape(pattern))
            : pattern;
        MatchesAll = _expression == "*";
    }

    public bool MatchesAll { get; }

    public bool Matches(ReadOnlySpan<char> name) =>
        MatchesAll
        || (_isWin32
            ? FileSystemName.MatchesWin32Expression(_expression, name, _ignoresCase)
            : FileSystemName.MatchesSimpleExpression(_expression, name, _ignoresCase));

    /// <summary>Escapes characters that are special only on Windows. As in .NET, they are ordinary characters elsewhere.</summary>
    private static string Escape(string pattern) => Path.DirectorySeparatorChar == '\\'
        ? pattern
        : pattern.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("\"", "\\\"", StringComparison.Ordinal)
            .Replace("<", "\\<", StringComparison.Ordinal).Replace(">", "\\>", StringComparison.Ordinal);
}
