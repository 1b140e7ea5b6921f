using System.Text.Json;
using Shouldly;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Report.Pages;

/// <summary>Result files, by the command that is quickest.</summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed class PageOutputTests : FolderTest
{
    private static readonly string[] Command = ["ops", "--size", "8K", "--rounds", "1", "--quiet"];

    [Fact]
    public async Task Each_form_is_written_where_its_option_says()
    {
        ToolRun run = await ToolRun.SucceedAsync(
            [.. Command, "--json", Folder["r.json"], "--html", Folder["r.html"], "--csv", Folder["r.csv"], Folder.FullPath]);
        run.Error.ShouldBe("");
        ReportPage page = JsonSerializer.Deserialize(await File.ReadAllTextAsync(Folder["r.json"]), PageJsonContext.Default.ReportPage)!;
        page.Sections[0].Tables[0].Rows.Select(r => r.Cells[0].Text)
            .ShouldBe(["Write Chunk", "Write Byte", "Read Chunk", "Read Byte", "Seek", "Open+Close"]);
        page.Sections[0].Charts[0].Series.Select(s => s.Name).ShouldBe(["FileStream", "SluiceStream"]);
        (await File.ReadAllLinesAsync(Folder["r.csv"]))[0].ShouldBe("operation,\"FileStream, ms\",\"SluiceStream, ms\",ratio");
        (await File.ReadAllTextAsync(Folder["r.html"])).ShouldStartWith("<!doctype html>");
    }

    [Fact]
    public void A_result_that_cannot_be_written_takes_no_other_away()
    {
        var terminal = new TerminalStreams(TextWriter.Null, TextWriter.Null, () => TextReader.Null);
        var output = new PageOutput([new("--json", Folder["r.json"]), new("--html", Folder["r.html"]), new("--csv", Folder["r.csv"])]);
        output.Check(terminal);
        File.WriteAllText(Folder["r.json"], "somebody's");
        Should.Throw<IOException>(() => output.Write(terminal, SamplePage.Make())).Message.ShouldContain("r.json");
        File.ReadAllText(Folder["r.json"]).ShouldBe("somebody's");
        File.Exists(Folder["r.csv"]).ShouldBeTrue();
        File.Exists(Folder["r.html"]).ShouldBeTrue();
    }

    [Theory]
    [InlineData("--json", "-")]
    [InlineData("--json=-")]
    public async Task A_dash_is_stdout_and_the_text_then_goes_to_stderr(params string[] option)
    {
        using ToolProcess tool = ToolProcess.Start(Folder.FullPath, [.. Command, .. option, Folder.FullPath]);
        ToolRun run = await tool.EndAsync(ExitCode.Success);
        JsonSerializer.Deserialize(run.Out, PageJsonContext.Default.ReportPage)!.Title.ShouldNotBeEmpty();
        Directory.EnumerateFileSystemEntries(Folder.FullPath).ShouldBeEmpty();
    }

    [SkippableTheory]
    [InlineData("there.json", "link.csv")]
    [InlineData("folder/r", "other/r")]
    [InlineData("folder/r", "other/none")]
    public async Task Two_results_that_are_one_file_by_a_link_are_refused_before_anything_is_measured(string json, string csv)
    {
        Skip.If(OperatingSystem.IsWindows(), "making links needs a privilege there");
        await File.WriteAllTextAsync(Folder["there.json"], "old");
        File.CreateSymbolicLink(Folder["link.csv"], "there.json");
        Directory.CreateDirectory(Folder["folder"]);
        Directory.CreateSymbolicLink(Folder["other"], "folder");
        File.CreateSymbolicLink(Folder["folder/none"], "r");
        ToolRun run = await ToolRun.RunAsync(
            [.. Command, "--overwrite", "--json", Folder[json], "--csv", Folder[csv], Folder.FullPath]);
        run.ExitCode.ShouldBe(ExitCode.Usage, run.Error);
        run.Error.ShouldContain("is named for two results");
        run.Out.ShouldBe("");
        (await File.ReadAllTextAsync(Folder["there.json"])).ShouldBe("old");
        File.Exists(Folder["folder/r"]).ShouldBeFalse();
    }
}
