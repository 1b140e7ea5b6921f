namespace Sluice.Cli.Tests.Support;

/// <summary>Runs the tool as nobody, where root runs the tests: root may read and write anything.</summary>
internal static class OtherUser
{
    /// <returns>The command to put before the tool's; empty where the tests are not run by root. Null and a reason where that user cannot run the tool.</returns>
    public static string[]? TryFind(out string reason)
    {
        reason = "";
        if (!Environment.IsPrivilegedProcess)
            return [];
        string[] asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
        (int exitCode, string output) = Shell.Run(asNobody[0], [.. asNobody[1..], ToolProcess.DotnetPath, ToolProcess.ToolPath, "--version"]);
        reason = exitCode == 0 ? "" : $"another user cannot run the tool here: {output.Split('\n')[0]}";
        return exitCode == 0 ? asNobody : null;
    }
}
