using Sluice.Cli.Programs.Copy;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Commands;

/// <summary>Makes sure that no result file replaces a source or a target of the copy.</summary>
internal static class CopyResultPlaces
{
    /// <summary>
    /// Looks at what is named, and of a tree at what is there in source and target. What is not there when the command begins takes
    /// nobody's place: it is written only where nothing has its name by the end.
    /// </summary>
    /// <exception cref="UsageException">A result would.</exception>
    public static void Require(CopyCommandOptions options, CopyPair[] copies)
    {
        NamedResult[] results = [.. options.Output.Named.Where(n => n.Path != "-")];
        if (results.Length == 0)
            return;
        string[] copied =
        [
            .. copies.SelectMany(c => (string[])[c.Source, c.Target]),
            .. options.FilesFrom is { } list ? [list] : Array.Empty<string>(),
        ];
        string[] folders = options.Recursive
            ? [.. copies.Where(c => Directory.Exists(c.Source)).SelectMany(c => (string[])[c.Source, c.Target])]
            : [];
        foreach ((string option, string path) in results)
        {
            bool IsResult(string other) => Path.GetFullPath(other) == Path.GetFullPath(path) || PathKinds.AreSame(other, path);
            if (copied.FirstOrDefault(IsResult) is { } same)
                throw new UsageException($"{option} names {same}, which is copied, or the copy");
            if (Path.Exists(path) && folders.FirstOrDefault(f => IsIn(f, path, options.Excluded)) is { } folder)
                throw new UsageException($"{option} names {path}, which is in {folder}, and that is copied, or the copy");
        }
    }

    /// <summary>Returns true if a path is in a folder, by its name or by the target of a link, and is not excluded from the copy.</summary>
    private static bool IsIn(string folder, string path, ExcludePatterns excluded) =>
        new[] { Path.GetFullPath(path), EnvironmentProbe.RealPathOf(path) }.Any(p => IsBelow(folder, p, excluded));

    private static bool IsBelow(string folder, string path, ExcludePatterns excluded)
    {
        string wanted = Path.TrimEndingDirectorySeparator(Path.GetFullPath(folder));
        for (string? above = Path.GetDirectoryName(path); above is not null; above = Path.GetDirectoryName(above))
        {
            if (above != wanted && !PathKinds.AreSame(folder, above))
                continue;
            string[] names = Path.GetRelativePath(above, path).Split(Path.DirectorySeparatorChar);
            return !Enumerable.Range(1, names.Length).Any(n => excluded.Excludes(string.Join('/', names[..n])));
        }
        return false;
    }
}
