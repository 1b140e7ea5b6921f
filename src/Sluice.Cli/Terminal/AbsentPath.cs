namespace Sluice.Cli.Terminal;

/// <summary>What is said of a path that was not found.</summary>
internal static class AbsentPath
{
    /// <summary>
    /// .NET calls absent what lies in a folder that this user may not look into.
    /// </summary>
    /// <param name="path">What was not found.</param>
    /// <param name="error">What holds if it is not there.</param>
    /// <returns>That, or why nobody can tell.</returns>
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
            // It is as the caller says.
        }
        return error;
    }
}
