using System.Text.Json;
using Shouldly;
using Sluice.Cli.Load;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>What the commands that measure in a folder of the user's have in common.</summary>
[Collection(MeasuringCollection.Name)]
[Trait("Runs", "once")]
public sealed class MeasuringCommandTests : FolderTest
{
    [Theory]
    [InlineData("figures a b")]
    [InlineData("figures --what")]
    [InlineData("figures --figure 1")]
    [InlineData("figures --figure 9")]
    [InlineData("figures --figure 2,x")]
    [InlineData("figures --figure")]
    [InlineData("tables a b")]
    [InlineData("tables --what")]
    [InlineData("tables --table nosuch")]
    [InlineData("advise a b")]
    [InlineData("advise --what")]
    [InlineData("bench --quick --full")]
    [InlineData("doctor a b")]
    [InlineData("doctor --what")]
    [InlineData("ops --size 10000")]
    [InlineData("ops --size 2G")]
    [InlineData("ops --size 0")]
    [InlineData("ops -b0")]
    [InlineData("ops --rounds 0")]
    [InlineData("ops --engine tape")]
    [InlineData("ops a b")]
    public Task A_wrong_command_line_is_exit_code_2(string typed) => CommandChecks.IsRefusedAsync(typed);

    [Theory]
    [InlineData("figures")]
    [InlineData("tables")]
    [InlineData("advise")]
    [InlineData("doctor")]
    [InlineData("ops")]
    [InlineData("methods")]
    public Task A_missing_folder_is_exit_code_1(string command) => CommandChecks.FailsAsync("no such", command, Folder["missing"]);

    [Trait("Tier", "slow")]
    [SkippableTheory]
    [InlineData("figures --quick")]
    [InlineData("tables --quick")]
    [InlineData("advise --quick")]
    [InlineData("ops")]
    [InlineData("methods")]
    public Task Too_little_room_is_told_before_anything_is_made(string typed) =>
        CommandChecks.NeedsRoomAsync(Folder, "2m", typed.Split(' '));

    [SkippableTheory]
    [InlineData("figures --quick")]
    [InlineData("tables --quick")]
    [InlineData("advise --quick")]
    [InlineData("ops")]
    [InlineData("methods")]
    public Task Without_permission_it_is_an_IO_error(string typed) =>
        CommandChecks.NeedsPermissionAsync(Folder, closed => [.. typed.Split(' '), closed]);

    [Theory]
    [InlineData("figures")]
    [InlineData("tables")]
    [InlineData("advise")]
    [InlineData("doctor")]
    [InlineData("ops")]
    [InlineData("methods")]
    public async Task A_result_that_is_there_is_not_replaced_unasked(string command)
    {
        string json = Folder["r.json"];
        await File.WriteAllTextAsync(json, "mine");
        string disk = Directory.CreateDirectory(Folder["disk"]).FullName;
        await CommandChecks.RefusesAsync("--overwrite", command, disk, "--json", json);
        (await File.ReadAllTextAsync(json)).ShouldBe("mine");
        Directory.EnumerateFileSystemEntries(disk).ShouldBeEmpty();
    }

    [SkippableFact]
    public async Task Ops_needs_space_for_the_largest_files_of_both_sides()
    {
        using TestVolume disk = TestVolume.MountMemory(Folder["disk"], "1m");
        await CommandChecks.FailsAsync("2 GiB needed", "ops", "--size", "1G", disk.Path);
    }

    [Trait("Tier", "slow")]
    [SkippableTheory]
    [InlineData("figures", "64m")]
    [InlineData("tables", "96m")]
    [InlineData("advise", "112m")]
    public async Task A_disk_that_others_fill_meanwhile_is_an_IO_error_and_nothing_is_left(string command, string diskSize)
    {
        using TestVolume disk = TestVolume.MountMemory(Folder["disk"], diskSize);
        using ToolProcess tool = ToolProcess.Start(Folder.FullPath, command, "--quick", disk.Path);
        await tool.WaitUntilAsync(() => Directory.EnumerateFiles(disk.Path, "*.dat", SearchOption.AllDirectories).Any());
        // Stopped, because it could end before the disk is full.
        tool.Signal("STOP");
        string others = Path.Combine(disk.Path, "others");
        Task<ToolRun> ending = tool.EndAsync();
        Task filling = FillAsync(others, until: ending);
        tool.Signal("CONT");
        ToolRun run = await ending;
        await filling;
        run.ExitCode.ShouldBe(ExitCode.IoError, run.Error);
        // Which side meets the full disk first is chance: a write, a preallocation of .NET's, or the look at the free space before a file.
        run.Error.ShouldMatch("[Nn]o space left on device|the disk was full|not measured: .* needed, .* free");
        Directory.EnumerateFileSystemEntries(disk.Path).ShouldBe([others]);
    }

    [SkippableFact]
    public async Task A_limit_of_the_file_size_ends_a_run_with_what_was_measured()
    {
        Skip.IfNot(OperatingSystem.IsLinux() && Shell.Run("prlimit", "--version").ExitCode == 0, "it needs prlimit");
        string disk = Directory.CreateDirectory(Folder["disk"]).FullName;
        // The runtime itself would need larger files.
        string[] limited = ["env", "DOTNET_EnableWriteXorExecute=0", "prlimit", $"--fsize={2 << 20}"];
        using ToolProcess tool = ToolProcess.StartAs(
            limited, disk, "methods", "--size", "64K,4M", "--rounds", "1", "--method", "File.ReadAllBytes", ".");
        ToolRun run = await tool.EndAsync(ExitCode.IoError);
        run.Out.ShouldContain("64 KiB");
        run.Out.ShouldContain("ended by an error: what is missing was not measured");
        run.Error.ShouldContain("too large");
        run.Error.ShouldNotContain("Parameter");
        Directory.EnumerateFileSystemEntries(disk).ShouldBeEmpty();
    }

    [SkippableTheory]
    [InlineData("figures", "INT", ExitCode.Interrupted)]
    [InlineData("tables", "TERM", ExitCode.Terminated)]
    [InlineData("advise", "INT", ExitCode.Interrupted)]
    public async Task A_signal_ends_it_in_good_order_with_what_was_measured(string command, string signal, int exitCode)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "signals are sent by kill");
        string disk = Directory.CreateDirectory(Folder["disk"]).FullName;
        using ToolProcess tool = ToolProcess.Start(disk, command, ".", "--json", Folder["r.json"]);
        await tool.WaitUntilAsync(() => Directory.EnumerateFiles(disk, "*.dat", SearchOption.AllDirectories).Any());
        tool.Signal(signal);
        ToolRun run = await tool.EndAsync(exitCode);
        run.Out.ShouldContain("interrupted");
        Directory.EnumerateFileSystemEntries(disk).ShouldBeEmpty();
        JsonElement json = Folder.Json("r.json");
        json.GetProperty("notes").EnumerateArray().ShouldContain(n => n.GetString()!.Contains("interrupted"));
    }

    [SkippableTheory]
    [InlineData("ops --size 4M --rounds 1000 .", "INT", ExitCode.Interrupted, "Write Byte")]
    [InlineData("methods --size 1M --rounds 1000 --method ReadAllBytes .", "TERM", ExitCode.Terminated, "File.ReadAllBytes")]
    [InlineData("examples a.dat 10000 --rounds 1000 --case read-block", "INT", ExitCode.Interrupted, "read-block-file-stream")]
    public async Task What_rounds_had_measured_before_a_signal_is_printed_and_written(string typed, string signal, int exitCode, string row)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "signals are sent by kill");
        string disk = Directory.CreateDirectory(Folder["disk"]).FullName;
        using ToolProcess tool = ToolProcess.Start(disk, [.. typed.Split(' '), "--json", Folder["r.json"]]);
        // Far more than warming up reads.
        await tool.WaitUntilReadAsync(200_000_000);
        tool.Signal(signal);
        ToolRun run = await tool.EndAsync(exitCode);
        run.Out.ShouldContain("note: interrupted");
        run.Out.Split('\n').ShouldContain(l => l.StartsWith(row + " ", StringComparison.Ordinal));
        Directory.EnumerateFileSystemEntries(disk).ShouldBeEmpty();
        JsonElement json = Folder.Json("r.json");
        json.GetProperty("sections").GetArrayLength().ShouldBe(1);
    }

    /// <summary>Here, since what comes from the device is counted for the whole process: beside other tests it is theirs, too.</summary>
    [SkippableFact]
    public async Task Reads_from_the_page_cache_are_said_to_be()
    {
        await File.WriteAllBytesAsync(Folder["a"], new byte[1 << 20]);
        SpeedReport report = await SpeedAsync("-t0.2");
        Skip.If(report.Sides[0].StorageReadBytes is null, "which device the files lie on, or what comes from it, is not told here");
        report.Notes.ShouldContain(n => n.Contains("came from the page cache"));
        (await SpeedAsync("-t0.2", "--cache", "hot")).Notes.ShouldNotContain(n => n.Contains("came from the page cache"));

        async Task<SpeedReport> SpeedAsync(params string[] options)
        {
            string json = Folder["result.json"];
            await ToolRun.SucceedAsync(["speed", .. options, Folder["a"], "--json", json, "--overwrite"]);
            return JsonSerializer.Deserialize(await File.ReadAllTextAsync(json), SpeedJsonContext.Default.SpeedReport)!;
        }
    }

    /// <summary>Fills the disk before it returns, and again whatever is freed until the task has ended.</summary>
    private static async Task FillAsync(string path, Task until)
    {
        byte[] block = new byte[1 << 20];
        using var file = new FileStream(path, FileMode.CreateNew, FileAccess.Write, FileShare.None, bufferSize: 0);
        while (!until.IsCompleted)
        {
            try
            {
                file.Write(block);
            }
            catch (IOException)
            {
                await Task.Delay(1);
            }
        }
    }
}
