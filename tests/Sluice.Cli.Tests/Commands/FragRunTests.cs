using System.Text.Json;
using Shouldly;
using Sluice.Cli.Programs;
using Sluice.Cli.Programs.Frag;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>`sluice frag` as a user types it, on an ext4 of the test's own where it writes.</summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed class FragRunTests : IDisposable
{
    private const long VolumeBytes = 64 << 20;

    private static readonly string[] Small = ["-Fm64K", "-FM2", "-c40", "-d5", "-s2", "--leave", "4M", "-q"];

    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("frag")]
    [InlineData("frag -f0 .")]
    [InlineData("frag -f100 .")]
    [InlineData("frag -k100 .")]
    [InlineData("frag -s1 .")]
    [InlineData("frag -Fm8 -FM4 .")]
    [InlineData("frag -FM0 .")]
    [InlineData("frag --profile odd .")]
    [InlineData("frag --target-extents 1 .")]
    [InlineData("frag --leave much .")]
    [InlineData("frag --dry-run --cleanup .")]
    [InlineData("frag --what .")]
    public Task A_wrong_command_line_is_exit_code_2(string typed) => CommandChecks.IsRefusedAsync(typed);

    [Fact]
    public Task A_missing_folder_is_exit_code_1() => CommandChecks.FailsAsync("no such directory", "frag", "--force", _folder["missing"]);

    [Fact]
    public async Task What_must_stay_free_is_never_touched()
    {
        ToolRun run = await ToolRun.RunAsync("frag", "--force", "--leave", "1000000T", _folder.FullPath);
        run.ExitCode.ShouldBe(ExitCode.IoError);
        run.Error.ShouldContain("nothing can be filled");
        Directory.EnumerateFileSystemEntries(_folder.FullPath).ShouldBeEmpty();
    }

    [SkippableFact]
    public async Task A_dry_run_prints_the_same_plan_for_the_same_seed_and_makes_nothing()
    {
        using TestVolume volume = TestVolume.MountExt4(_folder.FullPath, VolumeBytes);
        ToolRun one = await RunAsync(volume, "--dry-run", "-n2", "-r7");
        ToolRun two = await RunAsync(volume, "--dry-run", "-n2", "-r7");
        ToolRun other = await RunAsync(volume, "--dry-run", "-n2", "-r8");
        one.ExitCode.ShouldBe(ExitCode.Success, one.Error);
        one.Out.ShouldContain("end of cycle 2");
        two.Out.ShouldBe(one.Out);
        other.Out.ShouldNotBe(one.Out);
        OwnFolders(volume).ShouldBeEmpty();
    }

    [SkippableTheory]
    [InlineData("", ExitCode.Usage)]
    [InlineData("n", ExitCode.Usage)]
    [InlineData("y", ExitCode.Success)]
    public async Task Nothing_begins_without_a_yes(string answer, int exitCode)
    {
        using TestVolume volume = TestVolume.MountExt4(_folder.FullPath, VolumeBytes);
        ToolRun run = await ToolRun.RunAsync(
            ["frag", .. Small, "-n1", volume.Path], answer.Length == 0 ? null : answer, CancellationToken.None);
        run.ExitCode.ShouldBe(exitCode, run.Error);
        OwnFolders(volume).Length.ShouldBe(exitCode == ExitCode.Success ? 1 : 0);
    }

    [SkippableTheory]
    [InlineData("uniform")]
    [InlineData("interleaved")]
    public async Task It_leaves_the_files_that_the_plan_leaves_and_cleanup_removes_them(string profile)
    {
        using TestVolume volume = TestVolume.MountExt4(_folder.FullPath, VolumeBytes);
        string users = Path.Combine(volume.Path, "users.txt");
        await File.WriteAllTextAsync(users, "stays");
        string[] line = ["-n2", "-f60", "-k30", "--profile", profile];
        ToolRun plan = await RunAsync(volume, [.. line, "--dry-run"]);
        ToolRun run = await RunAsync(volume, [.. line, "--force", "--json", _folder["r.json"]]);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);

        string own = OwnFolders(volume).ShouldHaveSingleItem();
        Dictionary<string, long> living = Directory.EnumerateFiles(own, "*.frag", SearchOption.AllDirectories)
            .ToDictionary(f => Path.GetRelativePath(own, f), f => new FileInfo(f).Length);
        living.ShouldBe(Living(plan.Out), ignoreOrder: true);
        using JsonDocument json = JsonDocument.Parse(await File.ReadAllTextAsync(_folder["r.json"]));
        json.RootElement.GetProperty("formatVersion").GetInt32().ShouldBe(1);
        json.RootElement.GetProperty("skipped").GetInt32().ShouldBe(0);
        json.RootElement.GetProperty("cycles").GetInt32().ShouldBe(2);
        double pieces = json.RootElement.GetProperty("cyclePiecesPerFile").GetDouble();
        pieces.ShouldBeGreaterThanOrEqualTo(1);
        if (profile == "interleaved")
            pieces.ShouldBeGreaterThan(2);

        ToolRun cleanup = await ToolRun.RunAsync("frag", "--cleanup", volume.Path);
        cleanup.ExitCode.ShouldBe(ExitCode.Success, cleanup.Error);
        OwnFolders(volume).ShouldBeEmpty();
        (await File.ReadAllTextAsync(users)).ShouldBe("stays");
    }

    [SkippableFact]
    public async Task The_fill_limit_counts_what_others_have_on_the_volume()
    {
        using TestVolume volume = TestVolume.MountExt4(_folder.FullPath, VolumeBytes);
        await File.WriteAllBytesAsync(Path.Combine(volume.Path, "others.dat"), new byte[20 << 20]);
        ToolRun run = await RunAsync(volume, "-f50", "-k99", "-n1", "--force");
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        VolumeSpace.Of(volume.Path).UsedPercent.ShouldBeInRange(40, 50);
    }

    [SkippableFact]
    public async Task It_ends_at_the_fragmentation_asked_for()
    {
        using TestVolume volume = TestVolume.MountExt4(_folder.FullPath, VolumeBytes);
        ToolRun run = await RunAsync(volume, "--profile", "interleaved", "--target-extents", "1.5", "--force", "--json", _folder["r.json"]);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        using JsonDocument json = JsonDocument.Parse(await File.ReadAllTextAsync(_folder["r.json"]));
        json.RootElement.GetProperty("targetReached").GetBoolean().ShouldBeTrue();
        json.RootElement.GetProperty("cyclePiecesPerFile").GetDouble().ShouldBeGreaterThanOrEqualTo(1.5);
    }

    [SkippableFact]
    public async Task Cleanup_leaves_what_it_did_not_make_and_says_so()
    {
        using TestVolume volume = TestVolume.MountExt4(_folder.FullPath, VolumeBytes);
        (await RunAsync(volume, "-n1", "--force")).ExitCode.ShouldBe(ExitCode.Success);
        string own = OwnFolders(volume).ShouldHaveSingleItem();
        string stranger = Path.Combine(own, "0", "mine.txt");
        Directory.CreateDirectory(Path.Combine(own, "0"));
        await File.WriteAllTextAsync(stranger, "x");
        File.CreateSymbolicLink(Path.Combine(own, "9"), volume.Path);
        ToolRun cleanup = await ToolRun.RunAsync("frag", "--cleanup", volume.Path);
        cleanup.ExitCode.ShouldBe(ExitCode.IoError);
        cleanup.Error.ShouldContain("something else is in it");
        Directory.EnumerateFiles(own, "*.frag", SearchOption.AllDirectories).ShouldBeEmpty();
        File.Exists(stranger).ShouldBeTrue();
        File.Delete(stranger);
        File.Delete(Path.Combine(own, "9"));
        (await ToolRun.RunAsync("frag", "--cleanup", volume.Path)).ExitCode.ShouldBe(ExitCode.Success);
        OwnFolders(volume).ShouldBeEmpty();
    }

    [SkippableTheory]
    [InlineData("TERM", ExitCode.Terminated)]
    [InlineData("KILL", 137)]
    public async Task A_signal_removes_all_and_what_a_kill_leaves_cleanup_removes(string signal, int exitCode)
    {
        using TestVolume volume = TestVolume.MountExt4(_folder.FullPath, VolumeBytes);
        await File.WriteAllTextAsync(Path.Combine(volume.Path, "users.txt"), "stays");
        using (ToolProcess tool = ToolProcess.Start(volume.Path, ["frag", .. Small, "--force", "."]))
        {
            await tool.WaitUntilAsync(() => OwnFolders(volume) is [var own] && Directory.Exists(Path.Combine(own, "0")));
            tool.Signal(signal);
            ToolRun run = await tool.EndAsync();
            run.ExitCode.ShouldBe(exitCode, run.Error);
        }
        if (signal == "KILL")
        {
            OwnFolders(volume).Length.ShouldBe(1);
            ToolRun cleanup = await ToolRun.RunAsync("frag", "--cleanup", volume.Path);
            cleanup.ExitCode.ShouldBe(ExitCode.Success, cleanup.Error);
        }
        OwnFolders(volume).ShouldBeEmpty();
        File.Exists(Path.Combine(volume.Path, "users.txt")).ShouldBeTrue();
    }

    private static string[] OwnFolders(TestVolume volume) => Directory.GetDirectories(volume.Path, FragFolder.Prefix + "*");

    private static Task<ToolRun> RunAsync(TestVolume volume, params string[] arguments) =>
        ToolRun.RunAsync(["frag", .. Small, .. arguments, volume.Path]);

    private static Dictionary<string, long> Living(string plan)
    {
        var living = new Dictionary<string, long>();
        foreach (string[] words in plan.Split('\n').Select(line => line.Split(' ')))
        {
            if (words[0] == "create")
                living.Add(words[1], long.Parse(words[2]));
            else if (words[0] == "delete")
                living.Remove(words[1]);
        }
        return living;
    }
}
