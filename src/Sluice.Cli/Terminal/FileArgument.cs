namespace Sluice.Cli.Terminal;

/// <summary>A file to be read that a command line names.</summary>
internal static class FileArgument
{
    /// <exception cref="FileNotFoundException">It is not there, or a folder, or a link to what is not there.</exception>
    /// <exception cref="IOException">It is a link that leads back to itself.</exception>
    /// <exception cref="UnauthorizedAccessException">Whether it is there this user may not see.</exception>
    public static void Require(string path)
    {
        // .NET reports a link without a target as existing.
        LinkedFile.RequireTarget(path);
        if (File.Exists(path))
            return;
        throw Directory.Exists(path)
            ? new FileNotFoundException($"{path} is a folder")
            : AbsentPath.Error(path, new FileNotFoundException($"{path}: no such file"));
    }
}
