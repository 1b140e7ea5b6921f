using System.Text.Json;
using Shouldly;
using Sluice.Cli.Programs.Measuring;
using Sluice.Cli.Programs.Methods;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>`sluice methods` as a user types it, on small files.</summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed class MethodsRunTests : FolderTest
{
    private static readonly IReadOnlyList<TimedRow> s_methods = new MethodFiles(folder: "", sizeBytes: 1, default).Rows;

    [Theory]
    [InlineData("methods --size 0")]
    [InlineData("methods --size 257M")]
    [InlineData("methods --size 1K,,2K")]
    [InlineData("methods --size big")]
    [InlineData("methods --rounds 0")]
    [InlineData("methods --method tape")]
    [InlineData("methods --read --method WriteAllBytes")]
    [InlineData("methods --unit-tests --method Read")]
    [InlineData("methods -r")]
    [InlineData("methods a b")]
    public Task A_wrong_command_line_is_exit_code_2(string typed) => CommandChecks.IsRefusedAsync(typed);

    [Fact]
    public async Task All_methods_are_timed_and_right_and_nothing_stays()
    {
        ToolRun run = await RunAsync("--size", "20K,3K", "--json", Folder["r.json"], "--csv", Folder["r.csv"]);
        run.Error.ShouldMatch($"^{s_methods.Count} methods, [0-9]+ rounds?, about [0-9]+ s\n$");
        string[] lines = run.Out.Split('\n');
        foreach (TimedRow method in s_methods)
            lines.ShouldContain(l => l.StartsWith(method.Name + "  ", StringComparison.Ordinal)
                && l.EndsWith("right", StringComparison.Ordinal), method.Name);
        lines.ShouldContain(l => l.Contains("3 KiB, MiB/s", StringComparison.Ordinal)
            && l.Contains("20 KiB ratio", StringComparison.Ordinal));
        run.Out.ShouldContain("WinFileIO unit tests");
        run.Out.ShouldNotContain("FAILED");
        Directory.EnumerateFileSystemEntries(Folder.FullPath).Select(Path.GetFileName).Order().ShouldBe(["r.csv", "r.json"]);

        JsonElement json = Folder.Json("r.json");
        JsonElement[] sections = [.. json.GetProperty("sections").EnumerateArray()];
        sections.Length.ShouldBe(9);
        sections.SkipLast(1).ShouldAllBe(s => s.GetProperty("charts").GetArrayLength() == 1);
        sections.SelectMany(s => s.GetProperty("tables").EnumerateArray()).SelectMany(t => t.GetProperty("rows").EnumerateArray()).Count()
            .ShouldBeGreaterThan(s_methods.Count);
        (await File.ReadAllTextAsync(Folder["r.csv"])).ShouldContain("WFIO2.ReadUntilEOF,Sluice,");
    }

    [Theory]
    [InlineData("--read", "Reading into bytes", "Writing bytes")]
    [InlineData("--write", "Writing bytes", "Reading into bytes")]
    [InlineData("--unit-tests", "WinFileIO unit tests", "ratio")]
    public async Task A_part_is_run_alone(string option, string there, string missing)
    {
        ToolRun run = await RunAsync(option, "--size", "1K");
        string tables = run.Out.Split("note:")[0];
        tables.ShouldContain(there);
        tables.ShouldNotContain(missing);
    }

    private Task<ToolRun> RunAsync(params string[] arguments) =>
        ToolRun.SucceedAsync(["methods", "--rounds", "1", .. arguments, Folder.FullPath]);
}
