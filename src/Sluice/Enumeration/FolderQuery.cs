namespace Sluice.Enumeration;

/// <summary>What an enumeration is to find. The caller's options are read once, when this is made. Immutable.</summary>
internal sealed class FolderQuery(string path, string searchPattern, EnumerationOptions options, bool wantsDetails)
{
    private readonly NameMatcher _matcher = new(searchPattern, options);

    public string FullRoot { get; } = Path.GetFullPath(path);

    /// <summary>The folder as results show it.</summary>
    public string ShownRoot => path;

    public bool WantsDetails => wantsDetails;

    /// <summary>How many levels of folders may come below the root.</summary>
    public int Depth { get; } = options.RecurseSubdirectories ? options.MaxRecursionDepth : 0;

    public bool SkipsHidden { get; } = (options.AttributesToSkip & FileAttributes.Hidden) != 0;

    public bool IgnoresInaccessible { get; } = options.IgnoreInaccessible;

    public bool Matches(ReadOnlySpan<char> name) => _matcher.Matches(name);
}
