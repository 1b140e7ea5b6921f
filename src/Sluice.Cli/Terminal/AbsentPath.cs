namespace Sluice.Cli.Terminal;

/// <summary>Determines the error for a path that was not found.</summary>
internal static class AbsentPath
{
    /// <summary>Returns the error to throw. .NET also reports a path as missing if the user may not search a folder of the path.</summary>
    /// <param name="path">The path that was not found.</param>
    /// <param name="error">The error if the path does not exist.</param>
    /// <returns>The error, or the <see cref="UnauthorizedAccessException"/> of an access to the path.</returns>
    public static Exception Error(string path, IOException error)
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
