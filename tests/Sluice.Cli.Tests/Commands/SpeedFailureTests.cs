using Shouldly;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>Whatever goes wrong is one line on stderr and an exit code, with nothing half-made left behind.</summary>
public sealed class SpeedFailureTests : IDisposable
{
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    private static void ShouldFail(ToolRun run, int exitCode, string reason)
    {
        run.ExitCode.ShouldBe(exitCode, run.Error);
        run.Error.ShouldStartWith("sluice: ");
        run.Error.TrimEnd('\n').ShouldNotContain("\n");
        run.Error.ShouldContain(reason);
        run.Error.ShouldNotContain("   at ");
        run.Out.ShouldBe("");
    }

    [Theory]
    [InlineData("")]
    [InlineData("speed")]
    [InlineData("fast a.dat")]
    [InlineData("--nothing")]
    [InlineData("speed -z a.dat")]
    [InlineData("speed -t 30 a.dat")]
    [InlineData("speed --time")]
    [InlineData("speed -b1Q a.dat")]
    [InlineData("bench --suite nothing")]
    [InlineData("bench --row nothing")]
    [InlineData("bench -q")]
    [InlineData("bench a b")]
    public async Task A_wrong_command_line_is_exit_code_2(string typed) =>
        ShouldFail(await ToolRun.RunAsync(typed.Split(' ', StringSplitOptions.RemoveEmptyEntries)), ExitCode.Usage, "");

    [Fact]
    public async Task A_missing_folder_is_an_IO_error()
    {
        ShouldFail(await ToolRun.RunAsync("speed", "-t1", _folder["no/such/a.dat"]), ExitCode.IoError, "no such directory");
        ShouldFail(await ToolRun.RunAsync("bench", _folder["no"]), ExitCode.IoError, "no such directory");
    }

    [Fact]
    public async Task A_folder_is_no_file() =>
        ShouldFail(await ToolRun.RunAsync("speed", "-t1", _folder.FullPath), ExitCode.Usage, "is a directory");

    [Fact]
    public async Task A_result_that_could_not_be_written_is_found_out_before_measuring()
    {
        ToolRun run = await ToolRun.RunAsync("speed", "-t1", "-r1M", "--json", _folder["no/r.json"], _folder["a.dat"]);
        ShouldFail(run, ExitCode.IoError, "r.json");
        File.Exists(_folder["a.dat"]).ShouldBeFalse();
    }

    [Fact]
    public async Task More_than_the_disk_holds_is_refused_before_the_first_byte()
    {
        ShouldFail(await ToolRun.RunAsync("speed", "-t1", "-r1000000G", _folder["a.dat"]), ExitCode.IoError, "free on the file system");
        File.Exists(_folder["a.dat"]).ShouldBeFalse();
    }

    [Trait("Tier", "slow")]
    [SkippableFact]
    public async Task Files_that_have_room_one_by_one_and_not_together_are_refused_before_the_first_byte()
    {
        using TestVolume disk = TestVolume.MountMemory(_folder["mount"], "4m");
        string[] files = [Path.Combine(disk.Path, "a"), Path.Combine(disk.Path, "b")];
        ShouldFail(await ToolRun.RunAsync(["speed", "-t1", "-r3M", .. files]), ExitCode.IoError, "6 MiB more needed, 4 MiB free");
        Directory.EnumerateFileSystemEntries(disk.Path).ShouldBeEmpty();
    }

    [SkippableTheory]
    [InlineData("/dev/null")]
    [InlineData("/dev/zero")]
    public async Task A_character_device_has_no_size_to_measure(string path)
    {
        Skip.IfNot(File.Exists(path), $"{path} is missing");
        ShouldFail(await ToolRun.RunAsync("speed", "-t1", "-w1M", "--force", path), ExitCode.Usage, "neither a file nor a block device");
    }

    [SkippableFact]
    public async Task A_pipe_is_refused_without_waiting_for_its_other_end()
    {
        (int exitCode, string output) = Shell.Run("mkfifo", _folder["pipe"]);
        Skip.IfNot(exitCode == 0, $"mkfifo: {output}");
        ShouldFail(await ToolRun.RunAsync("speed", "-t1", _folder["pipe"]), ExitCode.Usage, "neither a file nor a block device");
    }

    [Trait("Tier", "slow")]
    [SkippableFact]
    public async Task A_disk_that_fills_up_is_an_IO_error_and_leaves_no_half_made_file()
    {
        using TestVolume disk = TestVolume.MountMemory(_folder["mount"], "4m");
        string path = Path.Combine(disk.Path, "a.dat");

        ShouldFail(await ToolRun.RunAsync("speed", "-t1", "-r8M", path), ExitCode.IoError, "free on the file system");
        ShouldFail(await ToolRun.RunAsync("speed", "-t1", "-p8M", path), ExitCode.IoError, "free on the file system");
        File.Exists(path).ShouldBeFalse();

        // Holes: the size is there already, so that only the writes find out that the space is not.
        await using (FileStream sparse = File.Create(path))
            sparse.SetLength(8 * 1024 * 1024);
        ShouldFail(await ToolRun.RunAsync("speed", "-t5", "-w8M", "-b1M", "--force", path), ExitCode.IoError, "pace");
        ShouldFail(await ToolRun.RunAsync("speed", "-t5", "-w8M", "-b1M", "-a4", "--engine", "bcl", "--force", path), ExitCode.IoError,
            "pace");
    }

    [SkippableFact]
    public async Task Without_permission_it_is_an_IO_error()
    {
        string path = _folder["a.dat"];
        await File.WriteAllBytesAsync(path, new byte[1024 * 1024]);
        Shell.Run("chmod", "000", path);
        Shell.Run("chmod", "755", _folder.FullPath);
        ShouldFail(await PlainUser.RunAsync("speed", "-t1", "-r1M", path), ExitCode.IoError, "denied");
    }
}
