using System.Globalization;
using System.Text.Json;
using Shouldly;
using Sluice.Cli.Programs.Copy;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>`sluice copy --shard` by several processes, the copy of the rest, and `merge`.</summary>
[Trait("Tier", "slow")]
public sealed class CopyShardTests : FolderTest
{
    private const int Ranks = 2;

    private static readonly string[] Variables =
    [
        "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_STEP_ID",
        "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX",
    ];

    [Theory]
    [InlineData("copy -r --shard 4/4 a b")]
    [InlineData("copy -r --shard 0/0 a b")]
    [InlineData("copy -r --shard -1/4 a b")]
    [InlineData("copy -r --shard 1 a b")]
    [InlineData("copy -r --shard 1/4/4 a b")]
    [InlineData("copy -r --shard one/4 a b")]
    [InlineData("copy -r --shard auto/0 a b")]
    [InlineData("copy -r --shard auto/x a b")]
    [InlineData("copy -r --shard 99999999999/4 a b")]
    [InlineData("copy --shard 0/4 a b")]
    [InlineData("copy -r --shard 0/4 --resume a b")]
    [InlineData("copy -r --shard 0/4 --dry-run a b")]
    [InlineData("copy -r --shard 0/4 --demo")]
    [InlineData("merge")]
    [InlineData("merge --json a.json a.json")]
    public Task What_makes_no_sense_is_refused(string typed) => CommandChecks.IsRefusedAsync(typed);

    /// <summary>What else makes no sense there <c>ShardEnvironment</c>'s own tests say; here is how the tool tells it.</summary>
    [SkippableFact]
    public async Task An_environment_that_does_not_say_it_is_refused_in_one_line()
    {
        SkipUnlessLinux();
        ToolRun run = await Start("PMI_RANK=1 PMI_SIZE=2", "copy", "-r", "--shard", "auto/3", "a", "b").EndAsync();
        CommandChecks.ShouldFail(run, ExitCode.Usage, "3 parts were asked for");
    }

    /// <summary>As different launchers tell them; ShardedCopyTests of the library compare the copy with one that is made whole.</summary>
    [SkippableFact]
    public async Task Ranks_of_a_launcher_copy_a_part_each()
    {
        SkipUnlessLinux();
        MakeTree(20);
        for (int rank = 0; rank < Ranks; rank++)
        {
            using ToolProcess tool = Start(
                Environment(rank), "copy", "-a", "--shard", "auto", "--json", Folder[$"{rank}.json"], Folder["tree"], Folder["copy"]);
            await tool.EndAsync(ExitCode.Success);
        }
        FilesOf(Folder["copy"]).Count().ShouldBe(20);
        CopyReport[] reports = [.. Enumerable.Range(0, Ranks).Select(r => Read(Folder[$"{r}.json"]))];
        reports.ShouldAllBe(r => r.Files > 0 && r.Failed == 0);
        reports.Sum(r => r.Files).ShouldBe(20);
    }

    [SkippableFact]
    public async Task The_target_means_the_same_to_the_first_and_the_last_shard()
    {
        SkipUnlessLinux();
        MakeTree(20);
        foreach (string shard in (string[])["0/2", "1/2"])
        {
            await ToolRun.SucceedAsync("copy", "-r", "--shard", shard, Folder["tree"], Folder["copy"]);
            Directory.CreateDirectory(Folder["into"]);
            await ToolRun.SucceedAsync("copy", "-r", "--shard", shard, Folder["tree"], Folder["into"] + "/");
        }
        FilesOf(Folder["copy"]).Count().ShouldBe(20);
        FilesOf(Folder["into/tree"]).Count().ShouldBe(20);
        FilesOf(Folder["into"]).Count().ShouldBe(20);
    }

    [SkippableFact]
    public async Task Merging_says_what_is_missing_and_what_failed()
    {
        SkipUnlessLinux();
        MakeTree(30);
        foreach (string shard in (string[])["0", "1", "2"])
        {
            await ToolRun.SucceedAsync("copy", "-r", "--shard", $"{shard}/3", "--json", Folder[shard], Folder["tree"], Folder["copy"]);
            CopyReport report = Read(Folder[shard]);
            (report.ShardIndex, report.ShardCount).ShouldBe((int.Parse(shard, CultureInfo.InvariantCulture), 3));
        }
        await ToolRun.SucceedAsync("merge", "--json", Folder["all"], Folder["2"], Folder["0"], Folder["1"]);
        File.ReadAllText(Folder["all"]).ShouldContain(", in 3 shards");

        ToolRun run = await ToolRun.RunAsync("merge", Folder["2"], Folder["0"]);
        run.ExitCode.ShouldBe(ExitCode.IoError);
        run.Out.ShouldContain("missing: shard 1 of 3");

        // One that failed counts until it has been run again.
        CopyReport once = Read(Folder["1"]);
        CopyReport failed = once with { Failed = 3, Started = once.Started.AddHours(-1) };
        File.WriteAllText(Folder["failed"], JsonSerializer.Serialize(failed, CopyJsonContext.Default.CopyReport));
        run = await ToolRun.RunAsync("merge", Folder["0"], Folder["failed"], Folder["2"]);
        run.ExitCode.ShouldBe(ExitCode.IoError);
        run.Out.ShouldContain("3 failed");
        await ToolRun.SucceedAsync("merge", Folder["0"], Folder["1"], Folder["failed"], Folder["2"]);

        // Others are not added up.
        await ToolRun.SucceedAsync("copy", "-r", "-f", "--shard", "3/4", "--json", Folder["other"], Folder["tree"], Folder["copy"]);
        await CommandChecks.RefusesAsync("is one of 4 shards", "merge", Folder["0"], Folder["other"]);
        await ToolRun.SucceedAsync("copy", "-r", "--json", Folder["whole"], Folder["tree"], Folder["whole copy"]);
        await CommandChecks.RefusesAsync("whole", "merge", Folder["whole"]);

        // Nor what went elsewhere, nor one result twice.
        await ToolRun.SucceedAsync("copy", "-r", "--shard", "1/3", "--json", Folder["elsewhere"], Folder["tree"], Folder["another"]);
        await CommandChecks.RefusesAsync("is of another copy than", "merge", Folder["0"], Folder["elsewhere"], Folder["2"]);
        await CommandChecks.RefusesAsync("is the same result as", "merge", Folder["0"], Folder["1"], Folder["0"]);
    }

    /// <summary>Of a scheduler that ends its job: the tool waited on, and had to be killed.</summary>
    [SkippableTheory]
    [InlineData("merge", "pipe")]
    [InlineData("compare", "pipe", "pipe")]
    [InlineData("copy", "-r", "--files-from", "pipe", "into")]
    public async Task One_signal_ends_who_waits_for_a_list_that_nobody_writes(params string[] arguments)
    {
        SkipUnlessLinux();
        Directory.CreateDirectory(Folder["into"]);
        Shell.Run("mkfifo", Folder["pipe"]).ExitCode.ShouldBe(0);
        using ToolProcess tool = ToolProcess.Start(Folder[""], arguments);

        // Returns when the tool has opened the other end; what it reads from here on does not come.
        await using FileStream writer = await Task.Run(() => new FileStream(Folder["pipe"], FileMode.Open, FileAccess.Write));
        tool.Signal("TERM");
        Task<ToolRun> end = tool.EndAsync();
        (await Task.WhenAny(end, Task.Delay(TimeSpan.FromMinutes(1)))).ShouldBe(end, "it hangs");
        (await end).ExitCode.ShouldBe(ExitCode.Terminated);
    }

    private static void SkipUnlessLinux() => Skip.IfNot(OperatingSystem.IsLinux(), "copies in shards are Linux's");

    private void MakeTree(int files)
    {
        for (int i = 0; i < files; i++)
            Folder.Make($"tree/f{i}", 1);
    }

    private static string Environment(int rank) =>
        rank == 0 ? $"OMPI_COMM_WORLD_RANK={rank} OMPI_COMM_WORLD_SIZE={Ranks}" : $"PMI_RANK={rank} PMI_SIZE={Ranks}";

    private ToolProcess Start(string environment, params string[] arguments) => ToolProcess.StartAs(
        ["env", .. Variables.SelectMany(v => (string[])["-u", v]), .. environment.Split(' ', StringSplitOptions.RemoveEmptyEntries)],
        Folder[""], arguments);

    private static IEnumerable<string> FilesOf(string folder) =>
        Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories);

    private static CopyReport Read(string path) =>
        JsonSerializer.Deserialize(File.ReadAllBytes(path), CopyJsonContext.Default.CopyReport)!;
}
