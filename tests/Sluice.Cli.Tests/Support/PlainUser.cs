using Xunit;

namespace Sluice.Cli.Tests.Support;

/// <summary>Runs the tool as a user who may not do everything; root may. Where root runs the tests that is nobody.</summary>
internal static class PlainUser
{
    private static readonly string[] AsNobody =
        Environment.IsPrivilegedProcess ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];

    /// <summary>A folder that this user can reach and in which they may make nothing.</summary>
    public static string MakeClosedFolder(TempFolder parent)
    {
        string folder = parent["closed"];
        Directory.CreateDirectory(folder);
        Shell.Run("chmod", "755", parent.FullPath);
        Shell.Run("chmod", "555", folder);
        return folder;
    }

    /// <summary>Skips the test where there is no such user, or where the tool is out of their reach.</summary>
    public static Task<ToolRun> RunAsync(params string[] arguments) => RunUnderAsync([], arguments);

    /// <param name="wrapper">A command that runs the rest of its line, such as prlimit.</param>
    /// <inheritdoc cref="RunAsync"/>
    public static async Task<ToolRun> RunUnderAsync(string[] wrapper, params string[] arguments)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "another user is had by Linux's setpriv");
        string[] line = [.. AsNobody, ToolProcess.DotnetPath, ToolProcess.ToolPath, "--version"];
        (int exitCode, string output) = Shell.Run(line[0], line[1..]);
        Skip.IfNot(exitCode == 0, $"another user cannot run the tool here: {output.Split('\n')[0]}");
        using ToolProcess tool = ToolProcess.StartAs([.. AsNobody, .. wrapper], "/", arguments);
        return await tool.EndAsync();
    }
}
