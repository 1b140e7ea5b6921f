using Shouldly;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>A dry run fails where the copy would: each command line is run dry, and then in earnest.</summary>
[Trait("Tier", "slow")]
public sealed class CopyDryRunTests : IDisposable
{
    private readonly TempFolder _folder = new();

    public CopyDryRunTests()
    {
        foreach (string folder in (string[])["tree/sub", "into/a", "into/tree", "other"])
            Directory.CreateDirectory(_folder[folder]);
        foreach (string file in (string[])["a", "tree/b", "tree/sub/c", "into/tree/sub", "other/d"])
            File.WriteAllText(_folder[file], file);
        File.CreateSymbolicLink(_folder["link"], "a");
        File.CreateSymbolicLink(_folder["treelink"], "tree");
        File.CreateSymbolicLink(_folder["devicelink"], "/dev/null");
        Directory.CreateDirectory(_folder["links"]);
        File.CreateSymbolicLink(_folder["links/b"], "/dev/null");
        Directory.CreateDirectory(_folder["pipes/sub"]);
        if (OperatingSystem.IsLinux())
            Shell.Run("mkfifo", _folder["pipe"], _folder["pipes/b"], _folder["pipes/link"]).ExitCode.ShouldBe(0);
    }

    public void Dispose() => _folder.Dispose();

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
        using TestVolume volume = TestVolume.MountMemory(_folder["volume"], "1m");
        File.WriteAllBytes(_folder["large"], new byte[2 << 20]);
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
        (int exitCode, string output) = Shell.Run("sh", "-c", Make, "sh", _folder["tree"]);
        Skip.If(exitCode != 0, $"such names cannot be made here: {output}");
        try
        {
            ToolRun planned = await ToolRun.RunAsync("copy", "-nr", _folder["tree"], _folder["tree2"]);
            planned.ExitCode.ShouldBe(ExitCode.Success, planned.Error);
            planned.Out.ShouldContain($"copy          {_folder["tree/z"]}");
            planned.Out.ShouldEndWith("3 files, 16 B; 2 not looked at: their names are not valid UTF-8\n");
            (await ToolRun.RunAsync("copy", "-r", _folder["tree"], _folder["tree2"])).ExitCode.ShouldBe(ExitCode.Success);
        }
        finally
        {
            // .NET cannot name them to remove them.
            Shell.Run("rm", "-rf", _folder["tree"], _folder["tree2"]);
        }
    }

    [Fact]
    public async Task A_quiet_one_names_what_would_fail_and_nothing_else()
    {
        ToolRun planned = await ToolRun.RunAsync("copy", "-nqr", _folder["tree"], _folder["into"]);
        planned.ExitCode.ShouldBe(ExitCode.IoError);
        planned.Out.ShouldBe($"file is there {_folder["tree/sub"]} -> {_folder["into/tree/sub"]}\n");
        (await ToolRun.RunAsync("copy", "-nq", _folder["a"], _folder["b"])).ShouldBe(new ToolRun(ExitCode.Success, "", ""));
    }

    /// <summary>Runs the tool with paths that are relative to the test's folder.</summary>
    private Task<ToolRun> CopyAsync(string[] arguments) =>
        ToolRun.RunAsync(["copy", .. arguments.Select(a => a.StartsWith('-') ? a : Path.Combine(_folder.FullPath, a))]);

    private string[] Everything() =>
        [.. Directory.EnumerateFileSystemEntries(_folder.FullPath, "*", SearchOption.AllDirectories).Order(StringComparer.Ordinal)];
}
