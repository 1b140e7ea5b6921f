using Shouldly;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Terminal;

/// <summary>A file where a folder is needed is not said to be missing, nor a folder where a file is.</summary>
public sealed class PathArgumentTests : FolderTest
{
    public PathArgumentTests() => File.WriteAllText(Folder["file"], "a");

    [Theory]
    [InlineData("bench --quick --row open-close FILE")]
    [InlineData("ops FILE")]
    [InlineData("advise --quick FILE")]
    [InlineData("methods FILE")]
    [InlineData("frag --dry-run FILE")]
    [InlineData("frag --cleanup FILE")]
    [InlineData("log cat FILE")]
    [InlineData("copy --demo --size 1M FILE")]
    [InlineData("copy OTHER FILE/x")]
    [InlineData("speed -t1 FILE/x")]
    [InlineData("doctor --json FILE/x")]
    public async Task A_file_is_no_directory(string command)
    {
        File.WriteAllText(Folder["other"], "b");
        ToolRun run = await ToolRun.RunAsync(
            [.. command.Split(' ').Select(a => a.Replace("FILE", Folder["file"]).Replace("OTHER", Folder["other"]))]);
        run.ExitCode.ShouldBe(ExitCode.IoError, run.Error);
        run.Error.ShouldEndWith($"{Folder["file"]} is not a directory\n");
    }

    [SkippableTheory]
    [InlineData("bench --quick --row open-close HIDDEN/x")]
    [InlineData("ops HIDDEN/x")]
    [InlineData("log cat HIDDEN/x")]
    [InlineData("extents HIDDEN/x")]
    [InlineData("doctor HIDDEN/x")]
    [InlineData("doctor --json HIDDEN/x/y")]
    [InlineData("speed -t1 HIDDEN/x/y")]
    [InlineData("compare HIDDEN/x HIDDEN/x")]
    [InlineData("merge HIDDEN/x")]
    [InlineData("copy FILE HIDDEN/x/y")]
    [InlineData("copy -n HIDDEN/x FILE")]
    [InlineData("copy --files-from HIDDEN/x FILE")]
    [InlineData("extents LINK")]
    [InlineData("compare LINK LINK")]
    [InlineData("merge LINK")]
    [InlineData("copy -n LINK FILE")]
    [InlineData("copy --files-from LINK FILE")]
    public async Task What_nobody_may_look_at_is_not_called_absent(string command)
    {
        string hidden = PlainUser.MakeClosedFolder(Folder);
        File.WriteAllText(Path.Combine(hidden, "x"), "c");
        File.CreateSymbolicLink(Folder["link"], Path.Combine(hidden, "x"));
        Shell.Run("chmod", "000", hidden);
        try
        {
            ToolRun run = await PlainUser.RunAsync(
                [.. command.Split(' ').Select(a => a.Replace("FILE", Folder["file"]).Replace("HIDDEN", hidden)
                    .Replace("LINK", Folder["link"]))]);
            run.ExitCode.ShouldBe(ExitCode.IoError, run.Error);
            run.Error.ShouldBe($"sluice: {hidden}/x: permission denied\n");
        }
        finally
        {
            Shell.Run("chmod", "755", hidden);
        }
    }
}
