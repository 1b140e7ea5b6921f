namespace Sluice.Cli.Terminal;

/// <summary>A folder that a command line names.</summary>
internal static class FolderArgument
{
    /// <exception cref="DirectoryNotFoundException">It is not there.</exception>
    /// <exception cref="IOException">It is a file.</exception>
    /// <exception cref="UnauthorizedAccessException">Whether it is there this user may not see.</exception>
    public static void Require(string path)
    {
        if (Directory.Exists(path))
            return;
        throw Path.Exists(path)
            ? new IOException($"{path} is not a directory")
            : AbsentPath.Error(path, new DirectoryNotFoundException($"{path}: no such directory"));
    }

    /// <summary>Requires the folder in which a file or folder is to be created.</summary>
    /// <param name="path">What is to be made.</param>
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
