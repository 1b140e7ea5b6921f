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
public sealed class FragRunTests : FolderTest
{
    private const long VolumeBytes = 64 << 20;

    private static readonly string[] Small = ["-Fm64K", "-FM2", "-c40", "-d5", "-s2", "--leave", "4M", "-q"];

    [Theory]
    [InlineData("frag")]
    [InlineData("frag -f0 .")]
    [InlineData("frag -f100 .")]
    [InlineData("frag -k100 .")]
    [InlineData("frag -s1 .")]
    [InlineData("frag -Fm8 -FM4 .")]
    [InlineData("frag -FM0 .")]
    [InlineData("frag --leave much .")]
    [InlineData("frag --dry-run --cleanup .")]
    [InlineData("frag --what .")]
    public Task A_wrong_command_line_is_exit_code_2(string typed) => CommandChecks.IsRefusedAsync(typed);

    [Fact]
    public Task A_missing_folder_is_exit_code_1() => CommandChecks.FailsAsync("no such directory", "frag", "--force", Folder["missing"]);

    [Fact]
    public async Task What_must_stay_free_is_never_touched()
    {
        await CommandChecks.FailsAsync("nothing can be filled", "frag", "--force", "--leave", "1000000T", Folder.FullPath);
        Directory.EnumerateFileSystemEntries(Folder.FullPath).ShouldBeEmpty();
    }

    [SkippableTheory]
    [InlineData("", ExitCode.Usage)]
    [InlineData("n", ExitCode.Usage)]
    [InlineData("y", ExitCode.Success)]
    public async Task Nothing_begins_without_a_yes(string answer, int exitCode)
    {
        using TestVolume volume = TestVolume.MountExt4(Folder.FullPath, VolumeBytes);
        ToolRun run = await ToolRun.RunAsync(
            ["frag", .. Small, "-n1", volume.Path], answer.Length == 0 ? null : answer, CancellationToken.None);
        run.ExitCode.ShouldBe(exitCode, run.Error);
        OwnFolders(volume).Length.ShouldBe(exitCode == ExitCode.Success ? 1 : 0);
    }

    [SkippableFact]
    public async Task It_leaves_the_files_that_the_plan_leaves_and_cleanup_removes_them()
    {
        using TestVolume volume = TestVolume.MountExt4(Folder.FullPath, VolumeBytes);
        string users = Path.Combine(volume.Path, "users.txt");
        await File.WriteAllTextAsync(users, "stays");
        string[] line = ["-n2", "-f60", "-k30"];
        ToolRun plan = await RunAsync(volume, [.. line, "--dry-run"]);
        OwnFolders(volume).ShouldBeEmpty();
        await RunAsync(volume, [.. line, "--force", "--json", Folder["r.json"]]);

        string own = OwnFolders(volume).ShouldHaveSingleItem();
        Dictionary<string, long> living = Directory.EnumerateFiles(own, "*.frag", SearchOption.AllDirectories)
            .ToDictionary(f => Path.GetRelativePath(own, f), f => new FileInfo(f).Length);
        living.ShouldBe(Living(plan.Out), ignoreOrder: true);
        JsonElement json = Folder.Json("r.json");
        json.GetProperty("formatVersion").GetInt32().ShouldBe(1);
        json.GetProperty("skipped").GetInt32().ShouldBe(0);
        json.GetProperty("cycles").GetInt32().ShouldBe(2);
        json.GetProperty("cyclePiecesPerFile").GetDouble().ShouldBeGreaterThanOrEqualTo(1);

        await ToolRun.SucceedAsync("frag", "--cleanup", volume.Path);
        OwnFolders(volume).ShouldBeEmpty();
        (await File.ReadAllTextAsync(users)).ShouldBe("stays");
    }

    [SkippableFact]
    public async Task The_fill_limit_counts_what_others_have_on_the_volume()
    {
        using TestVolume volume = TestVolume.MountExt4(Folder.FullPath, VolumeBytes);
        await File.WriteAllBytesAsync(Path.Combine(volume.Path, "others.dat"), new byte[20 << 20]);
        await RunAsync(volume, "-f50", "-k99", "-n1", "--force");
        VolumeSpace.Of(volume.Path).UsedPercent.ShouldBeInRange(40, 50);
    }

    [SkippableFact]
    public async Task Cleanup_leaves_what_it_did_not_make_and_says_so()
    {
        using TestVolume volume = TestVolume.MountExt4(Folder.FullPath, VolumeBytes);
        await RunAsync(volume, "-n1", "--force");
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
        await ToolRun.SucceedAsync("frag", "--cleanup", volume.Path);
        OwnFolders(volume).ShouldBeEmpty();
    }

    [SkippableTheory]
    [InlineData("TERM", ExitCode.Terminated)]
    [InlineData("KILL", 137)]
    public async Task A_signal_removes_all_and_what_a_kill_leaves_cleanup_removes(string signal, int exitCode)
    {
        using TestVolume volume = TestVolume.MountExt4(Folder.FullPath, VolumeBytes);
        await File.WriteAllTextAsync(Path.Combine(volume.Path, "users.txt"), "stays");
        using (ToolProcess tool = ToolProcess.Start(volume.Path, ["frag", .. Small, "--force", "."]))
        {
            await tool.WaitUntilAsync(() => OwnFolders(volume) is [var own] && Directory.Exists(Path.Combine(own, "0")));
            tool.Signal(signal);
            await tool.EndAsync(exitCode);
        }
        if (signal == "KILL")
        {
            OwnFolders(volume).Length.ShouldBe(1);
            await ToolRun.SucceedAsync("frag", "--cleanup", volume.Path);
        }
        OwnFolders(volume).ShouldBeEmpty();
        File.Exists(Path.Combine(volume.Path, "users.txt")).ShouldBeTrue();
    }

    private static string[] OwnFolders(TestVolume volume) => Directory.GetDirectories(volume.Path, FragFolder.Prefix + "*");

    private static Task<ToolRun> RunAsync(TestVolume volume, params string[] arguments) =>
        ToolRun.SucceedAsync(["frag", .. Small, .. arguments, volume.Path]);

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
