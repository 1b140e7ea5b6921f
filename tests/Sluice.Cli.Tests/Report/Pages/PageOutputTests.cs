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
public sealed class PageOutputTests : IDisposable
{
    private static readonly string[] Command = ["ops", "--size", "8K", "--rounds", "1", "--quiet"];

    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Each_form_is_written_where_its_option_says()
    {
        ToolRun run = await ToolRun.RunAsync(
            [.. Command, "--json", _folder["r.json"], "--html", _folder["r.html"], "--csv", _folder["r.csv"], _folder.FullPath]);
        run.Error.ShouldBe("");
        run.ExitCode.ShouldBe(ExitCode.Success);
        ReportPage page = JsonSerializer.Deserialize(await File.ReadAllTextAsync(_folder["r.json"]), PageJsonContext.Default.ReportPage)!;
        page.Sections[0].Tables[0].Rows.Select(r => r.Cells[0].Text)
            .ShouldBe(["Write Chunk", "Write Byte", "Read Chunk", "Read Byte", "Seek", "Open+Close"]);
        page.Sections[0].Charts[0].Series.Select(s => s.Name).ShouldBe(["FileStream", "SluiceStream"]);
        (await File.ReadAllLinesAsync(_folder["r.csv"]))[0].ShouldBe("operation,\"FileStream, ms\",\"SluiceStream, ms\",ratio");
        (await File.ReadAllTextAsync(_folder["r.html"])).ShouldStartWith("<!doctype html>");
    }

    [Fact]
    public void A_result_that_cannot_be_written_takes_no_other_away()
    {
        var terminal = new TerminalStreams(TextWriter.Null, TextWriter.Null, TextReader.Null);
        var output = new PageOutput { JsonPath = _folder["r.json"], CsvPath = _folder["r.csv"], HtmlPath = _folder["r.html"] };
        output.Check(terminal);
        File.WriteAllText(_folder["r.json"], "somebody's");
        Should.Throw<IOException>(() => output.Write(terminal, SamplePage.Make())).Message.ShouldContain("r.json");
        File.ReadAllText(_folder["r.json"]).ShouldBe("somebody's");
        File.Exists(_folder["r.csv"]).ShouldBeTrue();
        File.Exists(_folder["r.html"]).ShouldBeTrue();
    }

    [Theory]
    [InlineData("--json", "-")]
    [InlineData("--json=-")]
    public async Task A_dash_is_stdout_and_the_text_then_goes_to_stderr(params string[] option)
    {
        using ToolProcess tool = ToolProcess.Start(_folder.FullPath, [.. Command, .. option, _folder.FullPath]);
        ToolRun run = await tool.EndAsync();
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        JsonSerializer.Deserialize(run.Out, PageJsonContext.Default.ReportPage)!.Title.ShouldNotBeEmpty();
        Directory.EnumerateFileSystemEntries(_folder.FullPath).ShouldBeEmpty();
    }

    [SkippableTheory]
    [InlineData("there.json", "link.csv")]
    [InlineData("folder/r", "other/r")]
    [InlineData("folder/r", "other/none")]
    public async Task Two_results_that_are_one_file_by_a_link_are_refused_before_anything_is_measured(string json, string csv)
    {
        Skip.If(OperatingSystem.IsWindows(), "making links needs a privilege there");
        await File.WriteAllTextAsync(_folder["there.json"], "old");
        File.CreateSymbolicLink(_folder["link.csv"], "there.json");
        Directory.CreateDirectory(_folder["folder"]);
        Directory.CreateSymbolicLink(_folder["other"], "folder");
        File.CreateSymbolicLink(_folder["folder/none"], "r");
        ToolRun run = await ToolRun.RunAsync(
            [.. Command, "--overwrite", "--json", _folder[json], "--csv", _folder[csv], _folder.FullPath]);
        run.ExitCode.ShouldBe(ExitCode.Usage, run.Error);
        run.Error.ShouldContain("is named for two results");
        run.Out.ShouldBe("");
        (await File.ReadAllTextAsync(_folder["there.json"])).ShouldBe("old");
        File.Exists(_folder["folder/r"]).ShouldBeFalse();
    }
}
