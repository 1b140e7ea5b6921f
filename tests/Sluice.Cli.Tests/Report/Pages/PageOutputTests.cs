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

    [Theory]
    [InlineData(null, ExitCode.Usage, "old")]
    [InlineData("n\n", ExitCode.Usage, "old")]
    [InlineData("y\n", ExitCode.Success, "<!doctype html>")]
    public async Task A_file_that_is_there_is_replaced_only_when_the_user_says_so(string? answer, int exitCode, string content)
    {
        await File.WriteAllTextAsync(_folder["r.html"], "old");
        ToolRun run = await ToolRun.RunAsync([.. Command, "--html", _folder["r.html"], _folder.FullPath], answer, CancellationToken.None);
        run.ExitCode.ShouldBe(exitCode);
        (await File.ReadAllTextAsync(_folder["r.html"])).ShouldStartWith(content);
        run.Error.ShouldContain("r.html exists");
    }

    [Fact]
    public async Task With_overwrite_it_is_replaced_without_a_question()
    {
        await File.WriteAllTextAsync(_folder["r.html"], "old");
        ToolRun run = await ToolRun.RunAsync([.. Command, "--overwrite", "--html", _folder["r.html"], _folder.FullPath]);
        run.ExitCode.ShouldBe(ExitCode.Success);
        run.Error.ShouldBe("");
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

    [Fact]
    public async Task An_engine_that_does_not_exist_is_refused()
    {
        using ToolProcess tool = ToolProcess.StartAs(["env", "SLUICE_ENGINE=foo"], _folder.FullPath, "doctor");
        ToolRun run = await tool.EndAsync();
        run.ExitCode.ShouldBe(ExitCode.Usage);
        run.Error.ShouldContain("SLUICE_ENGINE is 'foo'");
        run.Out.ShouldBe("");
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

    [SkippableFact]
    public void What_keeps_nothing_may_have_several_results()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "/dev/null");
        File.CreateSymbolicLink(_folder["nowhere"], "/dev/null");
        var terminal = new TerminalStreams(TextWriter.Null, TextWriter.Null, TextReader.Null);
        new PageOutput { JsonPath = "/dev/null", CsvPath = _folder["nowhere"] }.Check(terminal);
    }

    [Fact]
    public async Task A_result_that_cannot_be_written_is_known_before_anything_is_measured()
    {
        ToolRun run = await ToolRun.RunAsync([.. Command, "--html", _folder["no/r.html"], _folder.FullPath]);
        run.ExitCode.ShouldBe(ExitCode.IoError);
        run.Error.ShouldContain("no such directory");
        run.Out.ShouldBe("");
        ToolRun twice = await ToolRun.RunAsync([.. Command, "--html", _folder["r"], "--json", _folder["r"], _folder.FullPath]);
        twice.ExitCode.ShouldBe(ExitCode.Usage);
        twice.Error.ShouldContain("is named for two results");
        Directory.EnumerateFileSystemEntries(_folder.FullPath).ShouldBeEmpty();
    }
}
