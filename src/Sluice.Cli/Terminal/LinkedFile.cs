using Sluice.Diagnostics;

namespace Sluice.Cli.Terminal;

/// <summary>Resolves symbolic links to files, which <see cref="FileInfo"/> does not.</summary>
internal static class LinkedFile
{
    /// <summary>Throws an exception that names the link if its target does not exist.</summary>
    /// <exception cref="FileNotFoundException">The path is a link whose target does not exist.</exception>
    /// <exception cref="IOException">The path is a link that leads back to itself.</exception>
    /// <exception cref="UnauthorizedAccessException">The user may not search a folder of the link's target.</exception>
    public static void RequireTarget(string path)
    {
        if (PathKinds.Of(path) == PathKind.Unknown)
            _ = Follow(path);
    }

    /// <summary>Returns the length of an existing file; for a link, the length of its target.</summary>
    /// <inheritdoc cref="RequireTarget"/>
    public static long LengthOf(string path) => new FileInfo(Follow(path)).Length;

    /// <summary>Returns the path, or that of the target if the path is a link.</summary>
    /// <inheritdoc cref="RequireTarget"/>
    public static string Follow(string path)
    {
        var file = new FileInfo(path);
        if (file.LinkTarget is null)
            return path;
        string? target;
        try
        {
            target = RealPath.Of(path);
        }
        catch (DirectoryNotFoundException)
        {
            target = null;
        }
        catch (IOException e)
        {
            throw new IOException($"{path} is a symbolic link that leads back to itself (to {file.LinkTarget})", e);
        }
        return target is not null && RealPath.IsOf(path, target)
            ? target
            : throw AbsentPath.Error(
                target ?? path, new FileNotFoundException($"{path} is a symbolic link to {file.LinkTarget}, which does not exist"));
    }
}
