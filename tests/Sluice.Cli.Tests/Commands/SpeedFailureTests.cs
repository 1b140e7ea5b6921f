using Shouldly;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>Whatever goes wrong is one line on stderr and an exit code, with nothing half-made left behind.</summary>
public sealed class SpeedFailureTests : FolderTest
{
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
    public Task A_wrong_command_line_is_exit_code_2(string typed) => CommandChecks.IsRefusedAsync(typed);

    [Fact]
    public async Task A_missing_folder_is_an_IO_error()
    {
        await CommandChecks.FailsAsync("no such directory", "speed", "-t1", Folder["no/such/a.dat"]);
        await CommandChecks.FailsAsync("no such directory", "bench", Folder["no"]);
    }

    [Fact]
    public Task A_folder_is_no_file() =>
        CommandChecks.RefusesAsync("is a directory", "speed", "-t1", Folder.FullPath);

    [Fact]
    public async Task A_result_that_could_not_be_written_is_found_out_before_measuring()
    {
        await CommandChecks.FailsAsync("r.json", "speed", "-t1", "-r1M", "--json", Folder["no/r.json"], Folder["a.dat"]);
        File.Exists(Folder["a.dat"]).ShouldBeFalse();
    }

    [Fact]
    public async Task More_than_the_disk_holds_is_refused_before_the_first_byte()
    {
        await CommandChecks.FailsAsync("free on the file system", "speed", "-t1", "-r1000000G", Folder["a.dat"]);
        File.Exists(Folder["a.dat"]).ShouldBeFalse();
    }

    [SkippableTheory]
    [InlineData("/dev/null")]
    [InlineData("/dev/zero")]
    public async Task A_character_device_has_no_size_to_measure(string path)
    {
        Skip.IfNot(File.Exists(path), $"{path} is missing");
        await CommandChecks.RefusesAsync("neither a file nor a block device", "speed", "-t1", "-w1M", "--force", path);
    }

    [SkippableFact]
    public async Task A_pipe_is_refused_without_waiting_for_its_other_end()
    {
        (int exitCode, string output) = Shell.Run("mkfifo", Folder["pipe"]);
        Skip.IfNot(exitCode == 0, $"mkfifo: {output}");
        await CommandChecks.RefusesAsync("neither a file nor a block device", "speed", "-t1", Folder["pipe"]);
    }

    [Trait("Tier", "slow")]
    [SkippableFact]
    public async Task A_disk_that_fills_up_is_an_IO_error_and_leaves_no_half_made_file()
    {
        using TestVolume disk = TestVolume.MountMemory(Folder["mount"], "4m");
        string path = Path.Combine(disk.Path, "a.dat");

        await CommandChecks.FailsAsync("free on the file system", "speed", "-t1", "-r8M", path);
        await CommandChecks.FailsAsync("free on the file system", "speed", "-t1", "-p8M", path);
        File.Exists(path).ShouldBeFalse();

        // Holes: the size is there already, so that only the writes find out that the space is not.
        await using (FileStream sparse = File.Create(path))
            sparse.SetLength(8 * 1024 * 1024);
        await CommandChecks.FailsAsync("pace", "speed", "-t5", "-w8M", "-b1M", "--force", path);
        await CommandChecks.FailsAsync("pace", "speed", "-t5", "-w8M", "-b1M", "-a4", "--engine", "bcl", "--force", path);
    }

    [Trait("Tier", "slow")]
    [SkippableFact]
    public async Task The_room_for_a_file_behind_a_link_is_that_of_its_own_disk()
    {
        using TestVolume disk = TestVolume.MountMemory(Folder["mount"], "4m");
        string target = Path.Combine(disk.Path, "a.dat");
        await File.WriteAllBytesAsync(target, new byte[100]);
        File.CreateSymbolicLink(Folder["link"], target);
        await CommandChecks.FailsAsync("free on the file system", "speed", "-t1", "-x8M", "--force", Folder["link"]);
        new FileInfo(target).Length.ShouldBe(100);

        string link = Path.Combine(disk.Path, "link");
        File.CreateSymbolicLink(link, Folder.Make("b.dat", 100));
        await ToolRun.SucceedAsync("speed", "-t0.05", "-r8M", link);
    }

    [SkippableFact]
    public async Task Without_permission_it_is_an_IO_error()
    {
        string path = Folder["a.dat"];
        await File.WriteAllBytesAsync(path, new byte[1024 * 1024]);
        Shell.Run("chmod", "000", path);
        Shell.Run("chmod", "755", Folder.FullPath);
        CommandChecks.ShouldFail(await PlainUser.RunAsync("speed", "-t1", "-r1M", path), ExitCode.IoError, "denied");
    }
}
