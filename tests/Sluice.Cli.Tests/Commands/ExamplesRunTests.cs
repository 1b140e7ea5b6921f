using System.Text.Json;
using Shouldly;
using Sluice.Cli.Programs.Examples;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>`sluice examples` as a user types it, on small files.</summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed class ExamplesRunTests : FolderTest
{
    private static readonly string[] s_cases = [.. new ExampleFile(path: "", count: 0, default).Rows.Select(r => r.Name)];

    [Theory]
    [InlineData("examples a.dat 0")]
    [InlineData("examples a.dat many")]
    [InlineData("examples a.dat 10000000001")]
    [InlineData("examples a.dat 5 --count 5")]
    [InlineData("examples a.dat 5 6")]
    [InlineData("examples --count -1")]
    [InlineData("examples --rounds 0")]
    [InlineData("examples --case tape")]
    [InlineData("examples --case ,")]
    [InlineData("examples --show tape")]
    [InlineData("examples --show")]
    [InlineData("examples --what")]
    [InlineData("examples /")]
    [InlineData("examples /dev/null 5 --force")]
    public Task A_wrong_command_line_is_exit_code_2(string typed) => CommandChecks.IsRefusedAsync(typed);

    [Theory]
    [InlineData("read-line-sluice-reader", "EnumerateLines()")]
    [InlineData("write-block-direct", "FileCaching.Direct")]
    public async Task Show_prints_the_code_as_it_is_compiled(string name, string code)
    {
        ToolRun run = await ToolRun.SucceedAsync("examples", "--show", name);
        run.Out.ShouldContain(code);
        run.Out.ShouldContain(ExampleCode.Of(name));
    }

    [Fact]
    public async Task A_file_that_another_has_made_meanwhile_stays()
    {
        string file = Folder["test.dat"];
        // Where the tool was quicker, once more.
        ToolRun? ended = null;
        for (int tries = 0; ended is null; tries++)
        {
            tries.ShouldBeLessThan(100);
            File.Delete(file);
            Task<ToolRun> run = Task.Run(() => ToolRun.RunAsync("examples", file, "1000", "--rounds", "1", "--case", "read-block"));
            while (!Directory.EnumerateDirectories(Folder.FullPath).Any() && !run.IsCompleted)
                await Task.Delay(1);
            bool isFirst = Folder.TryMake("test.dat", "somebody's");
            ToolRun tried = await run;
            ended = isFirst ? tried : null;
        }
        (await File.ReadAllTextAsync(file)).ShouldBe("somebody's");
        ended.ExitCode.ShouldBe(ExitCode.IoError, ended.Error);
        ended.Error.ShouldContain(file);
        ended.Out.ShouldContain("read-block-file-stream");
        Directory.EnumerateFileSystemEntries(Folder.FullPath).ShouldBe([file]);
    }

    [Fact]
    public async Task List_names_every_case()
    {
        ToolRun run = await ToolRun.SucceedAsync("examples", "--list");
        run.Out.TrimEnd('\n').Split('\n').Skip(1).Select(l => l.Split(' ')[0]).ShouldBe(s_cases);
    }

    [Fact]
    public async Task The_original_form_makes_the_file_and_keeps_it()
    {
        string file = Folder["a.dat"];
        ToolRun run = await ToolRun.SucceedAsync("examples", file, "300", "--rounds", "2", "--json", Folder["r.json"], "--csv",
            Folder["r.csv"]);
        run.Error.ShouldMatch($"^{s_cases.Length} cases, 2 rounds, about [0-9]+ s\n$");
        string[] lines = run.Out.Split('\n');
        foreach (string example in s_cases)
            lines.Single(l => l.StartsWith(example + " ", StringComparison.Ordinal)).ShouldEndWith("right");
        run.Out.ShouldContain("CPU, clocks/B");
        new FileInfo(file).Length.ShouldBe(30_000);
        File.ReadLines(file).Last().ShouldContain(299.ToString("X32"));
        Entries().ShouldBe(["a.dat", "r.csv", "r.json"]);

        JsonElement json = Folder.Json("r.json");
        JsonElement[] sections = [.. json.GetProperty("sections").EnumerateArray()];
        sections.Select(s => s.GetProperty("heading").GetString()).ShouldBe(
            ["Writing bytes", "Writing lines", "Writing blocks", "Reading bytes", "Reading lines", "Reading blocks"]);
        sections.SelectMany(s => s.GetProperty("charts").EnumerateArray()).Count().ShouldBe(6);
        (await File.ReadAllTextAsync(Folder["r.csv"])).ShouldContain("read-block-direct,Sluice,");
    }

    [Fact]
    public async Task A_file_gets_a_million_records_unless_another_number_is_given()
    {
        ToolRun run = await ToolRun.SucceedAsync("examples", Folder["a.dat"], "--rounds", "1", "--case", "read-block-file-stream");
        run.Out.ShouldStartWith("1,000,000 records of 100 bytes");
        new FileInfo(Folder["a.dat"]).Length.ShouldBe(100_000_000);
    }

    [Fact]
    public async Task Without_a_file_nothing_stays()
    {
        using ToolProcess tool = ToolProcess.StartAs(
            ["env", $"TMPDIR={Folder.FullPath}"], "/", "examples", "--count", "50", "--rounds", "1", "--case",
            "read-block,write-line-direct");
        ToolRun run = await tool.EndAsync(ExitCode.Success);
        run.Out.ShouldContain("read-block-file-stream-async");
        run.Out.ShouldContain("write-line-direct");
        run.Out.ShouldNotContain("read-line");
        Entries().ShouldBeEmpty();
    }

    [Theory]
    [InlineData(null, false, ExitCode.Usage)]
    [InlineData("n", false, ExitCode.Usage)]
    [InlineData("y", false, ExitCode.Success)]
    [InlineData(null, true, ExitCode.Success)]
    public async Task A_file_that_is_there_is_replaced_only_with_consent(string? answer, bool force, int exitCode)
    {
        string file = Folder["a.dat"];
        await File.WriteAllTextAsync(file, "mine");
        ToolRun run = await ToolRun.RunAsync(
            ["examples", file, "10", "--case", "read-block-file-stream", .. force ? (string[])["--force"] : []], answer,
            CancellationToken.None);
        run.ExitCode.ShouldBe(exitCode, run.Error);
        if (exitCode == ExitCode.Success)
            new FileInfo(file).Length.ShouldBe(1000);
        else
            (await File.ReadAllTextAsync(file)).ShouldBe("mine");
        Entries().ShouldBe(["a.dat"]);
    }

    [SkippableFact]
    public async Task A_link_stays_one_and_what_it_points_to_is_replaced()
    {
        Skip.If(OperatingSystem.IsWindows(), "making links needs a privilege there");
        Directory.CreateDirectory(Folder["there"]);
        await File.WriteAllTextAsync(Folder["there/a.dat"], "mine");
        File.CreateSymbolicLink(Folder["link"], Folder["there/a.dat"]);
        string[] line = ["examples", Folder["link"], "10", "--case", "read-block-file-stream"];
        (await ToolRun.RunAsync(line)).ExitCode.ShouldBe(ExitCode.Usage);
        (await File.ReadAllTextAsync(Folder["there/a.dat"])).ShouldBe("mine");
        await ToolRun.SucceedAsync([.. line, "--force"]);
        new FileInfo(Folder["link"]).LinkTarget.ShouldNotBeNull();
        new FileInfo(Folder["there/a.dat"]).Length.ShouldBe(1000);
    }

    [SkippableFact]
    public async Task An_interrupted_run_leaves_nothing_and_keeps_the_file_that_was_there()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "signals are sent by kill");
        await File.WriteAllTextAsync(Folder["a.dat"], "mine");
        using ToolProcess tool = ToolProcess.Start(Folder.FullPath, "examples", "a.dat", "2000000", "--force");
        await tool.WaitUntilAsync(() => HasScratchFile);
        tool.Signal("INT");
        await tool.EndAsync(ExitCode.Interrupted);
        Entries().ShouldBe(["a.dat"]);
        (await File.ReadAllTextAsync(Folder["a.dat"])).ShouldBe("mine");
    }

    private bool HasScratchFile => Directory.EnumerateFiles(Folder.FullPath, "records.dat", SearchOption.AllDirectories).Any();

    private IEnumerable<string?> Entries() => Directory.EnumerateFileSystemEntries(Folder.FullPath).Select(Path.GetFileName).Order();
}
