namespace Sluice.Cli.Terminal;

/// <summary>A folder that a command line names.</summary>
internal static class FolderArgument
{
    /// <exception cref="DirectoryNotFoundException">It is not there.</exception>
    /// <exception cref="IOException">It is a file.</exception>
    public static void Require(string path)
    {
        if (Directory.Exists(path))
            return;
        throw Path.Exists(path)
            ? new IOException($"{path} is no directory")
            : new DirectoryNotFoundException($"{path}: no such directory");
    }
}
