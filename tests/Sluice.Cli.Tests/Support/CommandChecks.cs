using Shouldly;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Tests.Support;

/// <summary>What holds for every command, whatever it does.</summary>
internal static class CommandChecks
{
    /// <summary>A command line that makes no sense: one line that says why, no result, and exit code 2.</summary>
    public static Task IsRefusedAsync(string typed) => RefusesAsync("", typed.Split(' ', StringSplitOptions.RemoveEmptyEntries));

    /// <summary>The tool refuses the arguments in one line that contains the words, with the exit code of wrong usage.</summary>
    public static async Task RefusesAsync(string words, params string[] arguments) =>
        ShouldFail(await ToolRun.RunAsync(arguments), ExitCode.Usage, words);

    /// <summary>An I/O error before anything was measured, told in one line with these words.</summary>
    public static async Task FailsAsync(string words, params string[] arguments) =>
        ShouldFail(await ToolRun.RunAsync(arguments), ExitCode.IoError, words);

    /// <summary>One line on stderr, and nothing else.</summary>
    public static void ShouldFail(ToolRun run, int exitCode, string words)
    {
        run.ExitCode.ShouldBe(exitCode, run.Error);
        run.Error.ShouldStartWith("sluice: ");
        run.Error.TrimEnd('\n').ShouldNotContain("\n");
        run.Error.ShouldContain(words);
        run.Out.ShouldBe("");
    }

    /// <summary>
    /// A disk of that size is too small, which is found before anything is made. Skips the test where none can be mounted.
    /// </summary>
    public static async Task NeedsRoomAsync(TempFolder folder, string diskSize, params string[] arguments)
    {
        using TestVolume disk = TestVolume.MountMemory(folder["disk"], diskSize);
        await FailsAsync("needed", [.. arguments, disk.Path]);
        Directory.EnumerateFileSystemEntries(disk.Path).ShouldBeEmpty();
    }

    /// <summary>A folder in which nothing may be made. Skips the test where there is no user who may not do everything.</summary>
    public static async Task NeedsPermissionAsync(TempFolder folder, Func<string, string[]> arguments)
    {
        ToolRun run = await PlainUser.RunAsync(arguments(PlainUser.MakeClosedFolder(folder)));
        run.ExitCode.ShouldBe(ExitCode.IoError, run.Error);
        run.Error.ShouldContain("denied");
    }
}
