using System.Text.Json;
using Shouldly;
using Sluice.Cli.Programs.Copy;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>`sluice copy` as a user types it.</summary>
public sealed class CopyRunTests : FolderTest
{
    [Theory]
    [InlineData("copy")]
    [InlineData("copy a")]
    [InlineData("copy --method magic a b")]
    [InlineData("copy --depth 0 a b")]
    [InlineData("copy --depth 65 a b")]
    [InlineData("copy --size 1M a b")]
    [InlineData("copy --demo a b")]
    [InlineData("copy --demo --size nothing")]
    [InlineData("copy -z a b")]
    public Task A_wrong_command_line_is_exit_code_2(string typed) => CommandChecks.IsRefusedAsync(typed);

    [Theory]
    [InlineData("auto", "")]
    [InlineData("buffered", "buffered")]
    [InlineData("range", "copy_file_range")]
    public async Task One_file_is_copied_and_the_method_named(string method, string says)
    {
        string source = Folder.Make("a", 300_000);
        ToolRun run = await ToolRun.SucceedAsync("copy", "--method", method, "--verify", "--sync", source, Folder["b"]);
        run.Out.ShouldContain(says);
        run.Out.ShouldContain("verified, on the disk");
        File.ReadAllBytes(Folder["b"]).ShouldBe(File.ReadAllBytes(source));
    }

    [Fact]
    public async Task Several_sources_and_folders_go_into_a_folder()
    {
        string one = Folder.Make("one", 10);
        string two = Folder.Make("tree/two", 20);
        Directory.CreateDirectory(Folder["into"]);
        await ToolRun.SucceedAsync("copy", "-r", "-p", one, Folder["tree"], Folder["into"]);
        File.ReadAllBytes(Folder["into/one"]).ShouldBe(File.ReadAllBytes(one));
        File.ReadAllBytes(Folder["into/tree/two"]).ShouldBe(File.ReadAllBytes(two));
        File.GetLastWriteTimeUtc(Folder["into/tree/two"]).ShouldBe(File.GetLastWriteTimeUtc(two));
    }

    [Fact]
    public async Task Each_failure_is_one_line_and_exit_code_1_and_nothing_is_half_made()
    {
        string source = Folder.Make("a", 1000);
        string there = Folder.Make("there", 10);
        Folder.Make("tree/x", 1);
        await CommandChecks.FailsAsync("not a regular file", "copy", "--force", source, "/dev/null");
        await CommandChecks.FailsAsync("needs --force", "copy", source, there);
        await CommandChecks.FailsAsync("same file", "copy", source, source);
        await CommandChecks.FailsAsync("inside", "copy", "-r", Folder["tree"], Folder["tree/in"]);
        await CommandChecks.FailsAsync("-r copies it", "copy", Folder["tree"], Folder["b"]);
        await CommandChecks.FailsAsync("missing: no such file", "copy", Folder["missing"], Folder["b"]);
        await CommandChecks.FailsAsync("no such directory", "copy", source, Folder["no/folder/b"]);
        await CommandChecks.FailsAsync("need a folder", "copy", source, there, Folder["b"]);
        File.Exists(Folder["b"]).ShouldBeFalse();
        File.ReadAllBytes(there).Length.ShouldBe(10);
        Directory.GetFileSystemEntries(Folder.FullPath).Length.ShouldBe(3);
    }

    [Fact]
    public async Task A_source_that_ends_in_a_dot_is_what_is_in_the_folder()
    {
        Folder.Make("src/f", 10);
        Directory.CreateDirectory(Folder["existing"]);
        await ToolRun.SucceedAsync("copy", "-r", Folder["src/."], Folder["existing"]);
        Directory.GetFileSystemEntries(Folder["existing"]).ShouldBe([Folder["existing/f"]]);
    }

    [Theory]
    [InlineData("A/x", "B/x")]
    [InlineData("A/.", "B/x")]
    public async Task Two_sources_of_one_name_do_not_replace_each_other(string first, string second)
    {
        string kept = Folder.Make("A/x", 10);
        Folder.Make("B/x", 20);
        Directory.CreateDirectory(Folder["E"]);
        ToolRun run = await ToolRun.RunAsync("copy", "-rf", $"{Folder.FullPath}/{first}", Folder[second], Folder["E"]);
        run.ExitCode.ShouldBe(ExitCode.IoError);
        run.Error.ShouldContain("just made from another source");
        File.ReadAllBytes(Folder["E/x"]).ShouldBe(File.ReadAllBytes(kept));
    }

    [Fact]
    public async Task A_file_that_is_there_in_a_tree_is_left_and_the_way_to_replace_it_is_said()
    {
        Folder.Make("tree/x", 10);
        string there = Folder.Make("into/tree/x", 20);
        ToolRun run = await ToolRun.RunAsync("copy", "-r", Folder["tree"], Folder["into"]);
        run.ExitCode.ShouldBe(ExitCode.IoError);
        run.Error.ShouldContain("--force");
        new FileInfo(there).Length.ShouldBe(20);
    }

    [Theory]
    [InlineData("y\n", ExitCode.Success, 1000)]
    [InlineData("n\n", ExitCode.IoError, 10)]
    [InlineData("", ExitCode.IoError, 10)]
    public async Task A_file_that_is_there_is_replaced_after_a_yes_only(string answer, int exitCode, int length)
    {
        string source = Folder.Make("a", 1000);
        string there = Folder.Make("there", 10);

        ToolRun run = await ToolRun.RunAsync(["copy", source, there], answer, CancellationToken.None);

        run.ExitCode.ShouldBe(exitCode, run.Error);
        run.Error.ShouldContain("Replace it?");
        new FileInfo(there).Length.ShouldBe(length);
    }

    [Fact]
    public async Task One_source_that_fails_does_not_stop_the_others()
    {
        string good = Folder.Make("good", 100);
        Directory.CreateDirectory(Folder["into"]);
        ToolRun run = await ToolRun.RunAsync("copy", Folder["missing"], good, Folder["into"]);
        run.ExitCode.ShouldBe(ExitCode.IoError);
        run.Error.ShouldContain("missing");
        File.Exists(Folder["into/good"]).ShouldBeTrue();
    }

    [Trait("Tier", "slow")]
    [SkippableTheory]
    [InlineData("big")]
    [InlineData("tree/in")]
    public async Task A_full_disk_ends_the_others_too(string name)
    {
        using TestVolume disk = TestVolume.MountMemory(Folder["disk"], "1m");
        Folder.Make(name, 3_000_000);
        string small = Folder.Make("small", 100);
        string json = Folder["r.json"];
        ToolRun run = await ToolRun.RunAsync("copy", "-r", "--json", json, Folder[name.Split('/')[0]], small, small, disk.Path);
        run.ExitCode.ShouldBe(ExitCode.IoError);
        run.Error.ShouldContain("disk is full");
        run.Error.TrimEnd('\n').ShouldNotContain("\n");
        run.Out.ShouldEndWith("; 1 failed; 2 not begun\n");
        Directory.EnumerateFiles(disk.Path, "*", SearchOption.AllDirectories).ShouldBeEmpty();
        using JsonDocument result = JsonDocument.Parse(File.ReadAllText(json));
        result.RootElement.GetProperty("notBegun").GetInt32().ShouldBe(2);
        result.RootElement.GetProperty("interrupted").GetBoolean().ShouldBeFalse();
    }

    [Trait("Tier", "slow")]
    [SkippableFact]
    public Task The_demo_needs_room_for_both_files() => CommandChecks.NeedsRoomAsync(Folder, "12m", "copy", "--demo", "--size", "8M");

    [SkippableFact]
    public async Task The_demo_copies_past_the_cache()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the direct way is Linux's");
        ToolRun run = await ToolRun.RunAsync("copy", "--demo", "--size", "8M", Folder.FullPath);
        Skip.If(run.Error.Contains("not possible here"), run.Error);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        run.Out.ShouldContain("direct, past the page cache, 4 requests outstanding (it was asked for");
        Directory.GetFileSystemEntries(Folder.FullPath).ShouldBeEmpty();
    }

    [Fact]
    public void The_live_line_tells_share_rate_and_time_left()
    {
        var line = new CopyProgressLine("a.dat");
        line.Text(TimeSpan.FromSeconds(1)).ShouldContain("0 %");
        line.Report(new CopyProgress(256L << 20, 1L << 30, 0, 1));
        line.Text(TimeSpan.FromSeconds(2)).ShouldBe("a.dat [#####...............] 25 % of 1 GiB, 128 MiB/s, 6 s left");
        line.Report(new CopyProgress(1L << 30, 1L << 30, 0, 1));
        line.Text(TimeSpan.FromSeconds(8)).ShouldBe("a.dat [####################] 100 % of 1 GiB, 128 MiB/s, finishing");
    }
}
