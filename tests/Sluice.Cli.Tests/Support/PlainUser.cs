using Xunit;

namespace Sluice.Cli.Tests.Support;

/// <summary>Runs the tool as a user who may not do everything; root may.</summary>
internal static class PlainUser
{
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
    public static async Task<ToolRun> RunAsync(params string[] arguments)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "permissions are set by chmod");
        string[] wrapper = [];
        if (Environment.IsPrivilegedProcess)
        {
            wrapper = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
            (int exitCode, string output) = Shell.Run(wrapper[0], [.. wrapper[1..], ToolProcess.DotnetPath, ToolProcess.ToolPath, "--version"]);
            Skip.IfNot(exitCode == 0, $"another user cannot run the tool here: {output.Split('\n')[0]}");
        }
        using ToolProcess tool = ToolProcess.StartAs(wrapper, "/", arguments);
        return await tool.EndAsync();
    }
}
