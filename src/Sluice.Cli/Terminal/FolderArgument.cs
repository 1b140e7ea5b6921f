namespace Sluice.Cli.Terminal;

/// <summary>Checks the path of a folder on the command line.</summary>
internal static class FolderArgument
{
    /// <exception cref="DirectoryNotFoundException">The folder does not exist.</exception>
    /// <exception cref="IOException">The path is a file.</exception>
    /// <exception cref="UnauthorizedAccessException">The user may not search a folder of the path.</exception>
    public static void Require(string path)
    {
        if (Directory.Exists(path))
            return;
        throw Path.Exists(path)
            ? new IOException($"{path} is not a directory")
            : AbsentPath.Error(path, new DirectoryNotFoundException($"{path}: no such directory"));
    }

    /// <summary>Requires the folder in which a file or folder is to be created.</summary>
    /// <param name="path">The path of the file or folder to create.</param>
    /// <inheritdoc cref="Require"/>
    public static void RequireParentOf(string path)
    {
        if (Path.GetDirectoryName(Path.GetFullPath(path)) is not { } parent || Directory.Exists(parent))
            return;
        throw Path.Exists(parent)
            ? new IOException($"{path}: {parent} is not a directory")
            : AbsentPath.Error(parent, new DirectoryNotFoundException($"{path}: {parent}: no such directory"));
    }
}
