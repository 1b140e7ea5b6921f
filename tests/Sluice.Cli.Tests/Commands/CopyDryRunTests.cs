using Shouldly;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>A dry run fails where the copy would: each command line is run dry, and then in earnest.</summary>
[Trait("Tier", "slow")]
public sealed class CopyDryRunTests : FolderTest
{
    public CopyDryRunTests()
    {
        foreach (string folder in (string[])["tree/sub", "into/a", "into/tree", "other"])
            Directory.CreateDirectory(Folder[folder]);
        foreach (string file in (string[])["a", "tree/b", "tree/sub/c", "into/tree/sub", "other/d"])
            File.WriteAllText(Folder[file], file);
        File.CreateSymbolicLink(Folder["link"], "a");
        File.CreateSymbolicLink(Folder["treelink"], "tree");
        File.CreateSymbolicLink(Folder["devicelink"], "/dev/null");
        Directory.CreateDirectory(Folder["links"]);
        File.CreateSymbolicLink(Folder["links/b"], "/dev/null");
        Directory.CreateDirectory(Folder["pipes/sub"]);
        if (OperatingSystem.IsLinux())
            Shell.Run("mkfifo", Folder["pipe"], Folder["pipes/b"], Folder["pipes/link"]).ExitCode.ShouldBe(0);
    }

    [SkippableTheory]
    [InlineData("a missing/b", true)]
    [InlineData("-f a ./a", true)]
    [InlineData("a into", true)]
    [InlineData("-r tree tree/sub/copy", true)]
    [InlineData("-r tree treelink/copy", true)]
    [InlineData("-rf tree into", true)]
    [InlineData("-r tree a", true)]
    [InlineData("tree b", true)]
    [InlineData("nothing b", true)]
    [InlineData("-f a pipe", true)]
    [InlineData("-u a pipe", true)]
    [InlineData("-f a /dev/null", true)]
    [InlineData("-rf tree/. pipes", true)]
    [InlineData("-rf link pipes", false)]
    [InlineData("-r devicelink b", false)]
    [InlineData("a b", false)]
    [InlineData("-f a other/d", false)]
    [InlineData("-r tree tree2", false)]
    public async Task It_ends_as_the_copy_does(string typed, bool fails)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "what a copy refuses is Linux's");
        string[] before = Everything();
        ToolRun planned = await CopyAsync(["-n", .. typed.Split(' ')]);
        Everything().ShouldBe(before);
        ToolRun copied = await CopyAsync(typed.Split(' '));
        copied.ExitCode.ShouldBe(fails ? ExitCode.IoError : ExitCode.Success, copied.Error);
        planned.ExitCode.ShouldBe(copied.ExitCode, planned.Out + planned.Error);
    }

    [SkippableFact]
    public async Task What_the_target_has_no_room_for_is_told()
    {
        using TestVolume volume = TestVolume.MountMemory(Folder["volume"], "1m");
        File.WriteAllBytes(Folder["large"], new byte[2 << 20]);
        ToolRun planned = await CopyAsync(["-n", "large", "volume/copy"]);
        planned.ExitCode.ShouldBe(ExitCode.IoError);
        planned.Error.ShouldContain("2 MiB are to be copied and 1 MiB are free");
        (await CopyAsync(["large", "volume/copy"])).ExitCode.ShouldBe(ExitCode.IoError);
        (await CopyAsync(["-n", "a", "volume/copy"])).ExitCode.ShouldBe(ExitCode.Success);
    }

    [SkippableFact]
    public async Task Names_that_are_no_text_are_said_not_to_be_looked_at_and_hide_no_other()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "names are text elsewhere");
        const string Make = """
            cd "$1"; one=$(printf 'd\351'); two=$(printf 'e\351'); mkdir "$one" && touch "$one/f" "$two" z
            """;
        (int exitCode, string output) = Shell.Run("sh", "-c", Make, "sh", Folder["tree"]);
        Skip.If(exitCode != 0, $"such names cannot be made here: {output}");
        try
        {
            ToolRun planned = await ToolRun.SucceedAsync("copy", "-nr", Folder["tree"], Folder["tree2"]);
            planned.Out.ShouldContain($"copy          {Folder["tree/z"]}");
            planned.Out.ShouldEndWith("3 files, 16 B; 2 not looked at: their names are not valid UTF-8\n");
            await ToolRun.SucceedAsync("copy", "-r", Folder["tree"], Folder["tree2"]);
        }
        finally
        {
            // .NET cannot name them to remove them.
            Shell.Run("rm", "-rf", Folder["tree"], Folder["tree2"]);
        }
    }

    [Fact]
    public async Task A_quiet_one_names_what_would_fail_and_nothing_else()
    {
        ToolRun planned = await ToolRun.RunAsync("copy", "-nqr", Folder["tree"], Folder["into"]);
        planned.ExitCode.ShouldBe(ExitCode.IoError);
        planned.Out.ShouldBe($"file is there {Folder["tree/sub"]} -> {Folder["into/tree/sub"]}\n");
        (await ToolRun.RunAsync("copy", "-nq", Folder["a"], Folder["b"])).ShouldBe(new ToolRun(ExitCode.Success, "", ""));
    }

    /// <summary>Runs the tool with paths that are relative to the test's folder.</summary>
    private Task<ToolRun> CopyAsync(string[] arguments) =>
        ToolRun.RunAsync(["copy", .. arguments.Select(a => a.StartsWith('-') ? a : Path.Combine(Folder.FullPath, a))]);

    private string[] Everything() =>
        [.. Directory.EnumerateFileSystemEntries(Folder.FullPath, "*", SearchOption.AllDirectories).Order(StringComparer.Ordinal)];
}
