using Sluice.Diagnostics;

namespace Sluice.Cli.Terminal;

/// <summary>
/// Checks the paths of the command line, and resolves symbolic links to files, which <see cref="FileInfo"/> does not. The methods for files
/// throw a <see cref="FileNotFoundException"/> for a link whose target does not exist, and an <see cref="IOException"/> for a link that
/// leads back to itself; those for folders say of such links that they are not directories. All that examine a path throw an
/// <see cref="UnauthorizedAccessException"/> if the user may not search a folder of it.
/// </summary>
internal static class PathArgument
{
    /// <exception cref="FileNotFoundException">The path does not exist, or is a folder.</exception>
    public static void RequireFile(string path)
    {
        if (IsFolder(path))
            throw new FileNotFoundException($"{path} is a folder");
    }

    /// <summary>Requires that a path exists, and returns true if it is a folder.</summary>
    /// <exception cref="FileNotFoundException">The path does not exist.</exception>
    public static bool IsFolder(string path)
    {
        // The target is checked first, because .NET reports a link without a target as existing.
        RequireTarget(path);
        bool isFolder = Directory.Exists(path);
        return isFolder || File.Exists(path)
            ? isFolder
            : throw Absent(path, new FileNotFoundException($"{path}: no such file or directory"));
    }

    /// <exception cref="UsageException">
    /// A name was not valid UTF-8. .NET has replaced the bytes, so it refers to another file or to none.
    /// </exception>
    public static void RequireUtf8(IEnumerable<string> names)
    {
        if (names.FirstOrDefault(n => n.Contains('\uFFFD', StringComparison.Ordinal)) is { } noText)
            throw new UsageException($"'{noText}' is not valid UTF-8: name its folder instead");
    }

    /// <exception cref="DirectoryNotFoundException">The folder does not exist.</exception>
    /// <exception cref="IOException">The path is a file.</exception>
    public static void RequireFolder(string path) => Require(path, path);

    /// <summary>Requires the folder in which a file or folder is to be created.</summary>
    /// <param name="path">The path of the file or folder to create.</param>
    /// <inheritdoc cref="RequireFolder"/>
    public static void RequireParentOf(string path)
    {
        if (Path.GetDirectoryName(Path.GetFullPath(path)) is { } parent)
            Require(parent, $"{path}: {parent}");
    }

    /// <summary>Throws an exception that names the link if its target does not exist.</summary>
    public static void RequireTarget(string path)
    {
        if (PathKinds.Of(path) == PathKind.Unknown)
            _ = Follow(path);
    }

    /// <summary>Returns the path, or that of the target if the path is a link.</summary>
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
            : throw Absent(
                target ?? path, new FileNotFoundException($"{path} is a symbolic link to {file.LinkTarget}, which does not exist"));
    }

    /// <param name="shown">The path in the error message.</param>
    private static void Require(string path, string shown)
    {
        if (Directory.Exists(path))
            return;
        throw Path.Exists(path)
            ? new IOException($"{shown} is not a directory")
            : Absent(path, new DirectoryNotFoundException($"{shown}: no such directory"));
    }

    /// <summary>
    /// Returns the error for a path that was not found: the given one, or the <see cref="UnauthorizedAccessException"/> of an access to the
    /// path, because .NET also reports a path as missing if the user may not search a folder of it.
    /// </summary>
    private static Exception Absent(string path, IOException error)
    {
        try
        {
            _ = File.GetAttributes(path);
        }
        catch (UnauthorizedAccessException denied)
        {
            return denied;
        }
        catch (IOException)
        {
            // The path does not exist, so the error of the caller applies.
        }
        return error;
    }
}
