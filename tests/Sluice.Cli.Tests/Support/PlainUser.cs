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
        string[]? wrapper = OtherUser.TryFind(out string reason);
        Skip.If(wrapper is null, reason);
        using ToolProcess tool = ToolProcess.StartAs(wrapper, "/", arguments);
        return await tool.EndAsync();
    }
}
