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
public sealed class CopyShardTests : IDisposable
{
    private const int Ranks = 2;

    private static readonly string[] Variables =
    [
        "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_STEP_ID",
        "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX",
    ];

    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

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
        run.ExitCode.ShouldBe(ExitCode.Usage, run.Error);
        run.Error.ShouldContain("3 parts were asked for");
        run.Error.TrimEnd('\n').ShouldNotContain("\n");
    }

    /// <summary>As different launchers tell them; ShardedCopyTests of the library compare the copy with one that is made whole.</summary>
    [SkippableFact]
    public async Task Ranks_of_a_launcher_copy_a_part_each()
    {
        SkipUnlessLinux();
        Directory.CreateDirectory(_folder["tree"]);
        for (int i = 0; i < 20; i++)
            File.WriteAllText(_folder[$"tree/f{i}"], "x");
        for (int rank = 0; rank < Ranks; rank++)
        {
            using ToolProcess tool = Start(
                Environment(rank), "copy", "-a", "--shard", "auto", "--json", _folder[$"{rank}.json"], _folder["tree"], _folder["copy"]);
            ToolRun run = await tool.EndAsync();
            run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        }
        FilesOf(_folder["copy"]).Count().ShouldBe(20);
        CopyReport[] reports = [.. Enumerable.Range(0, Ranks).Select(r => Read(_folder[$"{r}.json"]))];
        reports.ShouldAllBe(r => r.Files > 0 && r.Failed == 0);
        reports.Sum(r => r.Files).ShouldBe(20);
    }

    [SkippableFact]
    public async Task The_target_means_the_same_to_the_first_and_the_last_shard()
    {
        SkipUnlessLinux();
        Directory.CreateDirectory(_folder["tree"]);
        for (int i = 0; i < 20; i++)
            File.WriteAllText(_folder[$"tree/f{i}"], "x");
        foreach (string shard in (string[])["0/2", "1/2"])
        {
            await SucceedAsync("copy", "-r", "--shard", shard, _folder["tree"], _folder["copy"]);
            Directory.CreateDirectory(_folder["into"]);
            await SucceedAsync("copy", "-r", "--shard", shard, _folder["tree"], _folder["into"] + "/");
        }
        FilesOf(_folder["copy"]).Count().ShouldBe(20);
        FilesOf(_folder["into/tree"]).Count().ShouldBe(20);
        FilesOf(_folder["into"]).Count().ShouldBe(20);
    }

    [SkippableFact]
    public async Task What_is_there_and_other_is_replaced_with_consent_alone()
    {
        SkipUnlessLinux();
        Directory.CreateDirectory(_folder["tree"]);
        Directory.CreateDirectory(_folder["copy"]);
        File.WriteAllText(_folder["tree/file"], "new");
        File.WriteAllText(_folder["copy/file"], "older");
        ToolRun run = await ToolRun.RunAsync("copy", "-r", "--shard", "0/1", _folder["tree"], _folder["copy"]);
        run.ExitCode.ShouldBe(ExitCode.IoError);
        run.Error.ShouldContain("--force replaces it");
        File.ReadAllText(_folder["copy/file"]).ShouldBe("older");
        await SucceedAsync("copy", "-r", "-f", "--shard", "0/1", _folder["tree"], _folder["copy"]);
        File.ReadAllText(_folder["copy/file"]).ShouldBe("new");
    }

    [SkippableFact]
    public async Task Merging_says_what_is_missing_and_what_failed()
    {
        SkipUnlessLinux();
        Directory.CreateDirectory(_folder["tree"]);
        for (int i = 0; i < 30; i++)
            File.WriteAllText(_folder[$"tree/f{i}"], "x");
        foreach (string shard in (string[])["0", "1", "2"])
        {
            await SucceedAsync("copy", "-r", "--shard", $"{shard}/3", "--json", _folder[shard], _folder["tree"], _folder["copy"]);
            CopyReport report = Read(_folder[shard]);
            (report.ShardIndex, report.ShardCount).ShouldBe((int.Parse(shard, CultureInfo.InvariantCulture), 3));
        }
        await SucceedAsync("merge", "--json", _folder["all"], _folder["2"], _folder["0"], _folder["1"]);
        File.ReadAllText(_folder["all"]).ShouldContain(", in 3 shards");

        ToolRun run = await ToolRun.RunAsync("merge", _folder["2"], _folder["0"]);
        run.ExitCode.ShouldBe(ExitCode.IoError);
        run.Out.ShouldContain("missing: shard 1 of 3");

        // One that failed counts until it has been run again.
        CopyReport once = Read(_folder["1"]);
        CopyReport failed = once with { Failed = 3, Started = once.Started.AddHours(-1) };
        File.WriteAllText(_folder["failed"], JsonSerializer.Serialize(failed, CopyJsonContext.Default.CopyReport));
        run = await ToolRun.RunAsync("merge", _folder["0"], _folder["failed"], _folder["2"]);
        run.ExitCode.ShouldBe(ExitCode.IoError);
        run.Out.ShouldContain("3 failed");
        await SucceedAsync("merge", _folder["0"], _folder["1"], _folder["failed"], _folder["2"]);

        // Others are not added up.
        await SucceedAsync("copy", "-r", "-f", "--shard", "3/4", "--json", _folder["other"], _folder["tree"], _folder["copy"]);
        run = await ToolRun.RunAsync("merge", _folder["0"], _folder["other"]);
        run.ExitCode.ShouldBe(ExitCode.Usage);
        run.Error.ShouldContain("is one of 4 shards");
        await SucceedAsync("copy", "-r", "--json", _folder["whole"], _folder["tree"], _folder["whole copy"]);
        (await ToolRun.RunAsync("merge", _folder["whole"])).ExitCode.ShouldBe(ExitCode.Usage);

        // Nor what went elsewhere, nor one result twice.
        await SucceedAsync("copy", "-r", "--shard", "1/3", "--json", _folder["elsewhere"], _folder["tree"], _folder["copy of another"]);
        run = await ToolRun.RunAsync("merge", _folder["0"], _folder["elsewhere"], _folder["2"]);
        run.ExitCode.ShouldBe(ExitCode.Usage);
        run.Error.ShouldContain("is of another copy than");
        run = await ToolRun.RunAsync("merge", _folder["0"], _folder["1"], _folder["0"]);
        run.ExitCode.ShouldBe(ExitCode.Usage);
        run.Error.ShouldContain("is the same result as");
        File.WriteAllText(_folder["none"], "{}");
        (await ToolRun.RunAsync("merge", _folder["none"])).ExitCode.ShouldBe(ExitCode.Usage);
    }

    /// <summary>Of a scheduler that ends its job: the tool waited on, and had to be killed.</summary>
    [SkippableTheory]
    [InlineData("merge", "pipe")]
    [InlineData("compare", "pipe", "pipe")]
    [InlineData("copy", "-r", "--files-from", "pipe", "into")]
    public async Task One_signal_ends_who_waits_for_a_list_that_nobody_writes(params string[] arguments)
    {
        SkipUnlessLinux();
        Directory.CreateDirectory(_folder["into"]);
        Shell.Run("mkfifo", _folder["pipe"]).ExitCode.ShouldBe(0);
        using ToolProcess tool = ToolProcess.Start(_folder[""], arguments);

        // Returns when the tool has opened the other end; what it reads from here on does not come.
        await using FileStream writer = await Task.Run(() => new FileStream(_folder["pipe"], FileMode.Open, FileAccess.Write));
        tool.Signal("TERM");
        Task<ToolRun> end = tool.EndAsync();
        (await Task.WhenAny(end, Task.Delay(TimeSpan.FromMinutes(1)))).ShouldBe(end, "it hangs");
        (await end).ExitCode.ShouldBe(ExitCode.Terminated);
    }

    private static void SkipUnlessLinux() => Skip.IfNot(OperatingSystem.IsLinux(), "copies in shards are Linux's");

    private static async Task SucceedAsync(params string[] arguments)
    {
        ToolRun run = await ToolRun.RunAsync(arguments);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
    }

    private static string Environment(int rank) =>
        rank == 0 ? $"OMPI_COMM_WORLD_RANK={rank} OMPI_COMM_WORLD_SIZE={Ranks}" : $"PMI_RANK={rank} PMI_SIZE={Ranks}";

    private ToolProcess Start(string environment, params string[] arguments) => ToolProcess.StartAs(
        ["env", .. Variables.SelectMany(v => (string[])["-u", v]), .. environment.Split(' ', StringSplitOptions.RemoveEmptyEntries)],
        _folder[""], arguments);

    private static IEnumerable<string> FilesOf(string folder) =>
        Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories);

    private static CopyReport Read(string path) =>
        JsonSerializer.Deserialize(File.ReadAllBytes(path), CopyJsonContext.Default.CopyReport)!;
}
