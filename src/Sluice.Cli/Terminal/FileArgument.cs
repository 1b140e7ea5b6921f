namespace Sluice.Cli.Terminal;

/// <summary>Checks the path of an input of a command.</summary>
internal static class FileArgument
{
    /// <summary>Requires that a path exists, and returns true if it is a folder.</summary>
    /// <exception cref="FileNotFoundException">The path does not exist, or is a link whose target does not exist.</exception>
    /// <exception cref="IOException">The path is a link that leads back to itself.</exception>
    /// <exception cref="UnauthorizedAccessException">The user may not search a folder of the path.</exception>
    public static bool IsFolder(string path)
    {
        LinkedFile.RequireTarget(path);
        bool isFolder = Directory.Exists(path);
        if (!isFolder && !File.Exists(path))
            throw AbsentPath.Error(path, new FileNotFoundException($"{path}: no such file or directory"));
        return isFolder;
    }

    /// <exception cref="FileNotFoundException">The path does not exist, is a folder, or is a link whose target does not exist.</exception>
    /// <exception cref="IOException">The path is a link that leads back to itself.</exception>
    /// <exception cref="UnauthorizedAccessException">The user may not search a folder of the path.</exception>
    public static void Require(string path)
    {
        // The target is checked first, because .NET reports a link without a target as existing.
        LinkedFile.RequireTarget(path);
        if (File.Exists(path))
            return;
        throw Directory.Exists(path)
            ? new FileNotFoundException($"{path} is a folder")
            : AbsentPath.Error(path, new FileNotFoundException($"{path}: no such file"));
    }
}
