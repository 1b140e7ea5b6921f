using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Shouldly;
using Sluice.Cli.Programs.Copy;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>
/// `sluice copy --shard` by several processes, the copy of the rest, and `merge`. SLUICE_SHARD_FILES asks for more files, SLUICE_SHARD_RANKS for more
/// processes.
/// </summary>
[Trait("Tier", "slow")]
public sealed class CopyShardTests : IDisposable
{
    private static readonly int Ranks =
        int.Parse(System.Environment.GetEnvironmentVariable("SLUICE_SHARD_RANKS") ?? "4", CultureInfo.InvariantCulture);

    private static readonly string[] Variables =
    [
        "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_STEP_ID",
        "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX",
    ];

    private readonly TempFolder _folder = new();

    public void Dispose()
    {
        // Names that are no text are beyond .NET.
        if (OperatingSystem.IsLinux())
            RunProgram("sh", "-c", "rm -rf \"$0\"/*", _folder[""]);
        _folder.Dispose();
    }

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

    /// <summary>One of the ranks is killed in the middle, and run again.</summary>
    [SkippableFact]
    public async Task Ranks_and_a_copy_of_the_rest_make_what_cp_makes()
    {
        SkipUnlessLinux();
        string source = MakeTree();
        (string expected, string actual) = (_folder["expected"], _folder["actual"]);
        RunProgram("cp", "-a", source, expected);

        string[] shard = ["copy", "-a", "--shard", "auto"];
        using (ToolProcess killed = Start(Environment(1), [.. shard, "--bwlimit", "4K", source, actual]))
        {
            await killed.WaitUntilAsync(() => Directory.Exists(actual) && FilesOf(actual).Any());
            killed.Signal("KILL");
            (await killed.EndAsync()).ExitCode.ShouldNotBe(ExitCode.Success);
        }

        ToolProcess[] ranks = [.. Enumerable.Range(0, Ranks).Select(
            rank => Start(Environment(rank), [.. shard, "-u", "--json", _folder[$"rank{rank}.json"], source, actual]))];
        foreach (ToolProcess rank in ranks)
        {
            ToolRun run = await rank.EndAsync();
            run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
            rank.Dispose();
        }

        await SucceedAsync("copy", "-au", "--json", _folder["rest.json"], $"{source}/.", actual);
        Describe(actual).ShouldBe(Describe(expected));

        string[] results = [.. Enumerable.Range(0, Ranks).Select(r => _folder[$"rank{r}.json"])];
        ToolRun merged = await ToolRun.RunAsync(["merge", .. results]);
        merged.ExitCode.ShouldBe(ExitCode.Success, merged.Error);
        CopyReport[] reports = [.. results.Select(Read)];
        reports.ShouldAllBe(r => r.Files > 0 && r.Failed == 0);
        long entries = Describe(source).Split('\n').Count(l => l.Contains("|f|") || l.Contains("|l|") || l.Contains("|p|"));
        (reports.Sum(r => r.Files + r.UnchangedFiles) + Read(_folder["rest.json"]).Files).ShouldBe(entries);
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
        RunProgram("mkfifo", _folder["pipe"]);
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

    /// <summary>Names, kinds, modes, owners, lengths, times, numbers of names, where links lead; and what is in the files.</summary>
    private static string Describe(string root) => RunProgram("sh", "-c",
        """
        cd "$0" && LC_ALL=C
        find . ! -type d -printf '%P|%y|%m|%U|%G|%s|%T@|%n|%l\n' -o -printf '%P|d|%m|%U|%G|%T@\n' | sort
        find . -type f -exec sha256sum {} + | sort
        if command -v getfattr > /dev/null; then getfattr -hRd -m user . | sort; fi
        """, root);

    private static string RunProgram(string name, params string[] arguments)
    {
        var start = new ProcessStartInfo(name, arguments) { UseShellExecute = false, RedirectStandardOutput = true };
        using Process process = Process.Start(start)!;
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        process.ExitCode.ShouldBe(0, $"{name} {string.Join(' ', arguments)}");
        return output;
    }

    private string MakeTree()
    {
        string wanted = System.Environment.GetEnvironmentVariable("SLUICE_SHARD_FILES") ?? "300";
        int count = int.Parse(wanted, CultureInfo.InvariantCulture);
        string root = _folder["source"];
        var random = new Random(42);
        byte[] bytes = new byte[4 << 20];
        random.NextBytes(bytes);
        for (int i = 0; i < count; i++)
        {
            string folder = Path.Combine(root, $"d{i % 37}", $"e{i % 5}");
            Directory.CreateDirectory(folder);
            int length = i % 500 == 0 ? random.Next(bytes.Length) : random.Next(3) == 0 ? 0 : random.Next(20_000);
            string path = Path.Combine(folder, i % 50 == 0 ? $"a\nb {i} '\"é" : $"f{i}");
            File.WriteAllBytes(path, bytes[..length]);
            File.SetLastWriteTimeUtc(path, DateTime.UnixEpoch.AddSeconds(random.Next()).AddTicks(random.Next(10_000_000)));
        }
        RunProgram("sh", "-c",
            """
            cd "$0"
            ln -s nowhere d1/dangling; ln -s ../d2 d1/link; mkfifo d3/fifo; mkdir d4/empty
            ln d5/e0/f5 d6/name; ln d5/e0/f5 d7/name
            truncate -s 3M d8/holes; printf data | dd of=d8/holes bs=1 seek=1M conv=notrunc status=none
            printf odd > "d9/$(printf '\377\376')"
            chmod 0400 d1/e1/f1; chmod 0777 d2/e2/f2; chmod 0711 d10; chmod 01777 d11; touch -d 2001-01-01 d12 d12/e2 d13 .
            if command -v setfattr > /dev/null; then setfattr -n user.a -v 1 d3/e3/f3 d14 2> /dev/null; fi; true
            """, root);
        return root;
    }
}
