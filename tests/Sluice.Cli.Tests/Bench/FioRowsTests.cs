using Shouldly;
using Sluice.Cli.Bench;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Bench;

/// <summary>fio beside a row: in the same rounds as the sides, so that its ratio has an interval as theirs has.</summary>
[Trait("Runs", "once")]
public sealed class FioRowsTests : FolderTest
{
    [SkippableFact]
    public async Task In_the_full_form_fio_runs_in_every_round_and_its_ratio_has_an_interval()
    {
        RowReport row = await RunAsync(BenchScale.Quick with { Rounds = BenchScale.Full.Rounds, FioSamples = BenchScale.Full.FioSamples });
        row.FioRates!.Count.ShouldBe(BenchScale.Full.Rounds);
        double[] ratios = [.. Statistics.Ratios(row.Sluice.SliceRates, row.FioRates)];
        row.FioRatio.ShouldBe(Statistics.Median(ratios));
        (double low, double high) = Statistics.MedianInterval(ratios)!.Value;
        (row.FioRatioLow, row.FioRatioHigh).ShouldBe((low, high));
        row.CpuRatioLow!.Value.ShouldBeLessThanOrEqualTo(row.CpuRatio);
        row.CpuRatioHigh!.Value.ShouldBeGreaterThanOrEqualTo(row.CpuRatio);

        PageTable table = BenchTable.Of([row]);
        string[] heads = [.. table.Columns.Select(c => c.Header)];
        heads[(Array.IndexOf(heads, ".NET") + 1)..][..5].ShouldBe(["fio", "to fio", "95 %", "CPU ratio", "95 %"]);
    }

    /// <summary>What fio ran stands beside its figure, as somebody would type it, and its requests are those of the row.</summary>
    [SkippableFact]
    public async Task The_command_line_of_a_row_has_its_request_its_depth_and_its_memory()
    {
        RowReport row = await RunAsync(BenchScale.Quick, "seq-read-direct");
        row.FioCommand!.ShouldStartWith(
            "GLIBC_TUNABLES=glibc.malloc.hugetlb=1 fio --name=sluice-bench --filename=sequential.dat --rw=read --bs=1048576 --iodepth=8 ");
        row.FioCommand!.ShouldContain(" --direct=1");
        RowReport small = await RunAsync(BenchScale.Quick);
        small.FioCommand!.ShouldContain(" --bs=4096 --iodepth=1 ");
    }

    /// <summary>fio writes over these files, reads them, and deletes the one of the durable row.</summary>
    [SkippableTheory]
    [InlineData("direct-write-4k-d1")]
    [InlineData("log-durable-t1")]
    public async Task A_colon_in_the_folders_name_leads_fio_to_nobody_elses_files(string id)
    {
        byte[] content = [1, 2, 3];
        await File.WriteAllBytesAsync(Folder["v"], content);
        Directory.CreateDirectory(Folder["v:1"]);
        RowReport row = await RunAsync(BenchScale.Quick, id, Folder["v:1"]);
        row.FioError.ShouldBeNull();
        row.FioRate!.Value.ShouldBeGreaterThan(0);
        (await File.ReadAllBytesAsync(Folder["v"])).ShouldBe(content);
        Directory.EnumerateFileSystemEntries(Folder.FullPath).Select(Path.GetFileName).ShouldBe(["v", "v:1"], ignoreOrder: true);
    }

    private async Task<RowReport> RunAsync(BenchScale scale, string id = "direct-read-4k-d1", string? folder = null)
    {
        var context = new BenchContext(folder ?? Folder.FullPath, scale, CancellationToken.None);
        FioRunner fio = FioRunner.Detect();
        Skip.IfNot(fio.IsAvailable, fio.Description);
        (Suite suite, Row row) = FindRow(id);
        return (await new RowRunner(context, fio, CancellationToken.None).RunAsync(suite, row))[0];
    }

    private static (Suite Suite, Row Row) FindRow(string id) =>
        Suite.All.SelectMany(s => s.Rows.Select(r => (Suite: s, Row: r))).Single(r => r.Row.Id == id);
}
