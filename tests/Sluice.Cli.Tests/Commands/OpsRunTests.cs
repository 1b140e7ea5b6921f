using Shouldly;
using Sluice.Cli.Bench.Streams;
using Sluice.Cli.Load;
using Sluice.Cli.Programs.Measuring;
using Sluice.Cli.Programs.Ops;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>`sluice ops` as a user types it, on small files.</summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed class OpsRunTests : FolderTest
{
    private static readonly string[] Names = ["Write Chunk", "Write Byte", "Read Chunk", "Read Byte", "Seek", "Open+Close"];

    [Theory]
    [InlineData("bcl", "Operation,Time")]
    [InlineData("sluice", "Operation,Time")]
    [InlineData("both", "Operation,FileStream,SluiceStream")]
    public async Task Quiet_prints_the_articles_lines_and_leaves_nothing(string engine, string header)
    {
        ToolRun run = await ToolRun.SucceedAsync("ops", "--size", "64K", "--rounds", "2", "-q", "--engine", engine, Folder.FullPath);
        string[] lines = run.Out.TrimEnd('\n').Split('\n');
        lines[0].ShouldBe(header);
        lines.Skip(1).Select(l => l.Split(',')[0]).ShouldBe(Names);
        lines.Skip(1).ShouldAllBe(l => l.Split(',').Skip(1).All(cell => double.Parse(cell) >= 0));
        Directory.EnumerateFileSystemEntries(Folder.FullPath).ShouldBeEmpty();
    }

    [SkippableFact]
    public async Task What_was_measured_is_told_where_the_scratch_folder_stays()
    {
        string disk = Directory.CreateDirectory(Folder["disk"]).FullName;
        string[] command = ["ops", "--size", "1M", "--rounds", "50", "--json", Folder["r.json"], disk];
        Task<ToolRun> measuring = Task.Run(() => ToolRun.RunAsync(command));
        string? scratch = null;
        while (scratch is null && !measuring.IsCompleted)
            scratch = Directory.EnumerateDirectories(disk, "sluice-bench-*").FirstOrDefault();
        scratch.ShouldNotBeNull();
        using (StuckFolder.Make(Path.Combine(scratch, "stuck")))
        {
            ToolRun run = await measuring;
            run.ExitCode.ShouldBe(ExitCode.IoError, run.Out);
            run.Error.ShouldContain($"sluice: {scratch} stays: ");
            run.Out.ShouldContain("Write Chunk");
            File.Exists(Folder["r.json"]).ShouldBeTrue();
        }
    }

    [Fact]
    public async Task What_is_read_wrong_is_found()
    {
        var operations = new FileOperations<FileStreamSide>(IoSide.Bcl, Folder["a.dat"], 8192, 4096, CancellationToken.None);
        (await Timing.WrongAsync(Folder.FullPath, operations.Rows)).ShouldBeEmpty();
        await File.WriteAllBytesAsync(Folder["a.dat"], new byte[8192]);
        RowTimer timer = await Timing.RunAsync(Folder.FullPath, operations.Rows.Skip(2).ToArray());
        timer.Results.Select(r => r.Wrong).ShouldBe(
            ["other bytes were read than written, in chunk 0", "other bytes were read than written, in chunk 0", null, null]);
    }

    [Fact]
    public async Task A_longer_file_than_was_written_is_found()
    {
        var operations = new FileOperations<FileStreamSide>(IoSide.Bcl, Folder["a.dat"], 8192, 4096, CancellationToken.None);
        await Timing.RunAsync(Folder.FullPath, operations.Rows[0]);
        await File.AppendAllTextAsync(Folder["a.dat"], "x");
        (await Timing.RunAsync(Folder.FullPath, operations.Rows[2])).Results.Single().Wrong.ShouldBe("more bytes than were written");
    }
}
