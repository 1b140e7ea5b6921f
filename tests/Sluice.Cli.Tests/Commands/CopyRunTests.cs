using System.Text.Json;
using Shouldly;
using Sluice.Cli.Commands;
using Sluice.Cli.Programs.Copy;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>`sluice copy` as a user types it.</summary>
public sealed class CopyRunTests : IDisposable
{
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

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
    public async Task A_wrong_command_line_is_exit_code_2(string typed)
    {
        ToolRun run = await ToolRun.RunAsync(typed.Split(' '));
        run.ExitCode.ShouldBe(ExitCode.Usage, run.Error);
        run.Error.ShouldStartWith("sluice: ");
        run.Error.TrimEnd('\n').ShouldNotContain("\n");
    }

    [Theory]
    [InlineData("auto", "")]
    [InlineData("buffered", "buffered")]
    [InlineData("range", "copy_file_range")]
    public async Task One_file_is_copied_and_the_method_named(string method, string says)
    {
        string source = Make("a", 300_000);
        ToolRun run = await ToolRun.RunAsync("copy", "--method", method, "--verify", "--sync", source, _folder["b"]);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        run.Out.ShouldContain(says);
        run.Out.ShouldContain("verified, on the disk");
        File.ReadAllBytes(_folder["b"]).ShouldBe(File.ReadAllBytes(source));
    }

    [Fact]
    public async Task Several_sources_and_folders_go_into_a_folder()
    {
        string one = Make("one", 10);
        string two = Make("tree/two", 20);
        Directory.CreateDirectory(_folder["into"]);
        ToolRun run = await ToolRun.RunAsync("copy", "-r", "-p", one, _folder["tree"], _folder["into"]);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        File.ReadAllBytes(_folder["into/one"]).ShouldBe(File.ReadAllBytes(one));
        File.ReadAllBytes(_folder["into/tree/two"]).ShouldBe(File.ReadAllBytes(two));
        File.GetLastWriteTimeUtc(_folder["into/tree/two"]).ShouldBe(File.GetLastWriteTimeUtc(two));
    }

    [Fact]
    public async Task Each_failure_is_one_line_and_exit_code_1_and_nothing_is_half_made()
    {
        string source = Make("a", 1000);
        string there = Make("there", 10);
        Make("tree/x", 1);
        await ShouldFailAsync("not a regular file", "copy", "--force", source, "/dev/null");
        await ShouldFailAsync("needs --force", "copy", source, there);
        await ShouldFailAsync("same file", "copy", source, source);
        await ShouldFailAsync("inside", "copy", "-r", _folder["tree"], _folder["tree/in"]);
        await ShouldFailAsync("-r copies it", "copy", _folder["tree"], _folder["b"]);
        await ShouldFailAsync("missing: no such file", "copy", _folder["missing"], _folder["b"]);
        await ShouldFailAsync("no such directory", "copy", source, _folder["no/folder/b"]);
        await ShouldFailAsync("need a folder", "copy", source, there, _folder["b"]);
        File.Exists(_folder["b"]).ShouldBeFalse();
        File.ReadAllBytes(there).Length.ShouldBe(10);
        Directory.GetFileSystemEntries(_folder.FullPath).Length.ShouldBe(3);
    }

    [Trait("Tier", "slow")]
    [SkippableFact]
    public async Task A_tree_for_which_there_is_no_room_keeps_the_files_that_are_whole()
    {
        for (int i = 0; i < 8; i++)
            Make($"tree/{i}", 1 << 20);
        using TestVolume disk = TestVolume.MountMemory(_folder["disk"], "4m");
        string json = _folder["r.json"];
        ToolRun run = await ToolRun.RunAsync("copy", "-r", _folder["tree"], _folder["disk/copy"], "--json", json);
        run.ExitCode.ShouldBe(ExitCode.IoError);
        run.Error.ShouldContain("the disk is full");
        FileInfo[] copied = new DirectoryInfo(_folder["disk/copy"]).GetFiles();
        copied.ShouldAllBe(f => f.Length == 1 << 20 && f.LastWriteTimeUtc == File.GetLastWriteTimeUtc(_folder[$"tree/{f.Name}"]));
        using JsonDocument result = JsonDocument.Parse(File.ReadAllText(json));
        result.RootElement.GetProperty("bytes").GetInt64().ShouldBe(copied.Length << 20);
        result.RootElement.GetProperty("files").GetInt64().ShouldBe(copied.Length);
    }

    [Fact]
    public async Task A_source_that_ends_in_a_dot_is_what_is_in_the_folder()
    {
        Make("src/f", 10);
        Directory.CreateDirectory(_folder["existing"]);
        (await ToolRun.RunAsync("copy", "-r", _folder["src/."], _folder["existing"])).ExitCode.ShouldBe(ExitCode.Success);
        Directory.GetFileSystemEntries(_folder["existing"]).ShouldBe([_folder["existing/f"]]);
    }

    [Theory]
    [InlineData("A/x", "B/x")]
    [InlineData("A/.", "B/x")]
    public async Task Two_sources_of_one_name_do_not_replace_each_other(string first, string second)
    {
        string kept = Make("A/x", 10);
        Make("B/x", 20);
        Directory.CreateDirectory(_folder["E"]);
        ToolRun run = await ToolRun.RunAsync("copy", "-rf", $"{_folder.FullPath}/{first}", _folder[second], _folder["E"]);
        run.ExitCode.ShouldBe(ExitCode.IoError);
        run.Error.ShouldContain("just made from another source");
        File.ReadAllBytes(_folder["E/x"]).ShouldBe(File.ReadAllBytes(kept));
    }

    [Theory]
    [InlineData("-rp")]
    [InlineData("-a")]
    [InlineData("-rpf")]
    public async Task Short_options_stand_behind_one_dash_as_for_cp(string options)
    {
        string two = Make("tree/two", 20);
        File.SetLastWriteTimeUtc(two, new DateTime(2001, 2, 3, 4, 5, 6, DateTimeKind.Utc));
        ToolRun run = await ToolRun.RunAsync("copy", options, _folder["tree"], _folder["copied"]);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        run.Out.ShouldStartWith($"{_folder["tree"]} -> {_folder["copied"]}: 1 file in 1 folder,");
        File.GetLastWriteTimeUtc(_folder["copied/two"]).ShouldBe(File.GetLastWriteTimeUtc(two));
    }

    [Fact]
    public async Task A_file_that_is_there_in_a_tree_is_left_and_the_way_to_replace_it_is_said()
    {
        Make("tree/x", 10);
        string there = Make("into/tree/x", 20);
        ToolRun run = await ToolRun.RunAsync("copy", "-r", _folder["tree"], _folder["into"]);
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
        string source = Make("a", 1000);
        string there = Make("there", 10);

        ToolRun run = await ToolRun.RunAsync(["copy", source, there], answer, CancellationToken.None);

        run.ExitCode.ShouldBe(exitCode, run.Error);
        run.Error.ShouldContain("Replace it?");
        new FileInfo(there).Length.ShouldBe(length);
    }

    [Fact]
    public async Task A_file_that_is_there_is_replaced_by_force()
    {
        string source = Make("a", 1000);
        string there = Make("there", 10);

        ToolRun run = await ToolRun.RunAsync("copy", "-f", source, there);

        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        File.ReadAllBytes(there).ShouldBe(File.ReadAllBytes(source));
    }

    [Fact]
    public async Task One_source_that_fails_does_not_stop_the_others()
    {
        string good = Make("good", 100);
        Directory.CreateDirectory(_folder["into"]);
        ToolRun run = await ToolRun.RunAsync("copy", _folder["missing"], good, _folder["into"]);
        run.ExitCode.ShouldBe(ExitCode.IoError);
        run.Error.ShouldContain("missing");
        File.Exists(_folder["into/good"]).ShouldBeTrue();
    }

    [Trait("Tier", "slow")]
    [SkippableTheory]
    [InlineData("big")]
    [InlineData("tree/in")]
    public async Task A_full_disk_ends_the_others_too(string name)
    {
        using TestVolume disk = TestVolume.MountMemory(_folder["disk"], "1m");
        Make(name, 3_000_000);
        string small = Make("small", 100);
        string json = _folder["r.json"];
        ToolRun run = await ToolRun.RunAsync("copy", "-r", "--json", json, _folder[name.Split('/')[0]], small, small, disk.Path);
        run.ExitCode.ShouldBe(ExitCode.IoError);
        run.Error.ShouldContain("disk is full");
        run.Error.TrimEnd('\n').ShouldNotContain("\n");
        run.Out.ShouldEndWith("; 1 failed; 2 not begun\n");
        Directory.EnumerateFiles(disk.Path, "*", SearchOption.AllDirectories).ShouldBeEmpty();
        using JsonDocument result = JsonDocument.Parse(File.ReadAllText(json));
        result.RootElement.GetProperty("notBegun").GetInt32().ShouldBe(2);
        result.RootElement.GetProperty("interrupted").GetBoolean().ShouldBeFalse();
    }

    [Fact]
    public async Task Every_question_comes_before_anything_is_copied()
    {
        string one = Make("a", 10);
        string two = Make("b", 20);
        Make("to/b", 30);
        var typed = new TypedAnswer("y", () => File.Exists(_folder["to/a"]));
        var error = new StringWriter();
        var terminal = new TerminalStreams(TextWriter.Null, error, typed) { IsInputTerminal = true };
        int exitCode = await SluiceTool.RunAsync(["copy", one, two, _folder["to"]], terminal, CancellationToken.None);
        exitCode.ShouldBe(ExitCode.Success, error.ToString());
        typed.Seen.ShouldBe([false]);
        File.ReadAllBytes(_folder["to/a"]).ShouldBe(File.ReadAllBytes(one));
        File.ReadAllBytes(_folder["to/b"]).ShouldBe(File.ReadAllBytes(two));
    }

    [Fact]
    public async Task The_demo_prints_rates_and_leaves_nothing()
    {
        ToolRun run = await ToolRun.RunAsync("copy", "--demo", "--method", "buffered", "--size", "8M", _folder.FullPath);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        run.Out.ShouldContain("made 8 MiB");
        run.Out.ShouldContain("target.dat: 8 MiB in ");
        Directory.GetFileSystemEntries(_folder.FullPath).ShouldBeEmpty();
    }

    [Trait("Tier", "slow")]
    [SkippableFact]
    public Task The_demo_needs_room_for_both_files() => CommandChecks.NeedsRoomAsync(_folder, "12m", "copy", "--demo", "--size", "8M");

    [SkippableFact]
    public async Task The_demo_copies_past_the_cache()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the direct way is Linux's");
        ToolRun run = await ToolRun.RunAsync("copy", "--demo", "--size", "8M", _folder.FullPath);
        Skip.If(run.Error.Contains("not possible here"), run.Error);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        run.Out.ShouldContain("direct, past the page cache, 4 requests outstanding (it was asked for");
        Directory.GetFileSystemEntries(_folder.FullPath).ShouldBeEmpty();
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

    private static async Task ShouldFailAsync(string reason, params string[] arguments)
    {
        ToolRun run = await ToolRun.RunAsync(arguments);
        run.ExitCode.ShouldBe(ExitCode.IoError, run.Error);
        run.Error.ShouldStartWith("sluice: ");
        run.Error.ShouldContain(reason);
        run.Error.TrimEnd('\n').ShouldNotContain("\n");
        run.Out.ShouldBe("");
    }

    private string Make(string name, int length)
    {
        string path = _folder[name];
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        byte[] content = new byte[length];
        new Random(length).NextBytes(content);
        File.WriteAllBytes(path, content);
        return path;
    }

    /// <summary>Somebody who gives one answer, and looks at something each time that it is asked for.</summary>
    private sealed class TypedAnswer(string answer, Func<bool> look) : TextReader
    {
        public List<bool> Seen { get; } = [];

        public override string? ReadLine()
        {
            Seen.Add(look());
            return answer;
        }
    }
}
