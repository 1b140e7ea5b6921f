namespace Sluice.Enumeration;

/// <summary>The parameters of an enumeration. The caller's options are copied when this object is created. Immutable.</summary>
internal sealed class FolderQuery(string path, string searchPattern, EnumerationOptions options, bool wantsDetails)
{
    private readonly NameMatcher _matcher = new(searchPattern, options);

    public string FullRoot { get; } = Path.GetFullPath(path);

    /// <summary>Gets the root directory as it appears in the results.</summary>
    public string ShownRoot => path;

    public bool WantsDetails => wantsDetails;

    /// <summary>Gets the maximum depth of subdirectories.</summary>
    public int Depth { get; } = options.RecurseSubdirectories ? options.MaxRecursionDepth : 0;

    public bool SkipsHidden { get; } = (options.AttributesToSkip & FileAttributes.Hidden) != 0;

    public bool IgnoresInaccessible { get; } = options.IgnoreInaccessible;

    public bool Matches(ReadOnlySpan<char> name) => _matcher.Matches(name);
}
