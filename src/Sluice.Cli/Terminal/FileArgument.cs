namespace Sluice.Cli.Terminal;

/// <summary>A file to be read that a command line names.</summary>
internal static class FileArgument
{
    /// <exception cref="FileNotFoundException">It is not there, or a folder.</exception>
    /// <exception cref="UnauthorizedAccessException">Whether it is there this user may not see.</exception>
    public static void Require(string path)
    {
        if (File.Exists(path))
            return;
        throw Directory.Exists(path)
            ? new FileNotFoundException($"{path} is a folder")
            : AbsentPath.Error(path, new FileNotFoundException($"{path}: no such file"));
    }
}
