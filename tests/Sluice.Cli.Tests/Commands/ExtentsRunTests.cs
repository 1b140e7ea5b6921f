using System.Text.Json;
using Shouldly;
using Sluice.Cli.Programs.Extents;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>`sluice extents` as a user types it.</summary>
[Trait("Runs", "once")]
public sealed class ExtentsRunTests : FolderTest
{
    [Theory]
    [InlineData("extents")]
    [InlineData("extents --worst x a")]
    [InlineData("extents -e-1 a")]
    [InlineData("extents --nothing a")]
    [InlineData("extents a b")]
    [InlineData("extents /dev/null")]
    public Task A_wrong_command_line_is_exit_code_2(string typed) => CommandChecks.IsRefusedAsync(typed);

    [Fact]
    public Task A_missing_file_is_exit_code_1() => CommandChecks.FailsAsync("no such file or directory", "extents", Folder["missing"]);

    /// <summary>As one that somebody puts in a file's place behind the look at it: opened as a file, it waits for its writer.</summary>
    [SkippableFact]
    public async Task A_pipe_in_a_files_place_is_no_plain_file_and_not_waited_for()
    {
        Skip.If(OperatingSystem.IsWindows(), "there are no FIFOs there");
        Shell.Run("mkfifo", Folder["pipe"]).ExitCode.ShouldBe(0);
        var scan = new ExtentScan(flushFirst: false, CancellationToken.None);
        Task asked = Task.Run(() => scan.AddFile(Folder["pipe"]));
        if (await Task.WhenAny(asked, Task.Delay(TimeSpan.FromMinutes(1))) != asked)
        {
            // Let it go, or the folder stays.
            await File.WriteAllTextAsync(Folder["pipe"], "x");
            Assert.Fail("it hangs");
        }
        (await Should.ThrowAsync<IOException>(() => asked)).Message.ShouldContain("not a regular file");
        scan.Files.ShouldBeEmpty();
    }

    [SkippableFact]
    public async Task A_file_that_is_named_by_a_link_is_asked_and_one_that_may_not_be_read_is_told_with_the_reason()
    {
        Skip.IfNot(Environment.IsPrivilegedProcess, "only root can make another user's file");
        string closed = PlainUser.MakeClosedFolder(Folder);
        await File.WriteAllBytesAsync(Path.Combine(closed, "secret"), new byte[10]);
        Shell.Run("chmod", "600", Path.Combine(closed, "secret"));
        ToolRun run = await PlainUser.RunAsync("extents", closed);
        run.ExitCode.ShouldBe(ExitCode.IoError, run.Error);
        run.Error.ShouldContain("denied");

        using TestVolume volume = TestVolume.MountExt4(Folder.FullPath, 64 << 20);
        await File.WriteAllBytesAsync(Path.Combine(volume.Path, "plain"), new byte[100_000]);
        File.CreateSymbolicLink(Folder["link"], Path.Combine(volume.Path, "plain"));
        run = await ToolRun.SucceedAsync("extents", "--sync", Folder["link"]);
        run.Out.ShouldContain("1 extent in 1 piece");
    }

    [SkippableFact]
    public Task Where_the_file_system_does_not_tell_it_says_so()
    {
        Skip.IfNot(File.Exists("/proc/self/status"), "no file system without FIEMAP is known here");
        return CommandChecks.FailsAsync("no FIEMAP", "extents", "/proc/self/status");
    }

    [Trait("Tier", "slow")]
    [SkippableFact]
    public async Task An_interleaved_file_is_found_in_pieces_and_a_plain_one_whole()
    {
        using TestVolume volume = TestVolume.MountExt4(Folder.FullPath, 64 << 20);
        string scattered = Path.Combine(volume.Path, "scattered");
        WriteInTurns(scattered, Path.Combine(volume.Path, "other"));
        await File.WriteAllBytesAsync(Path.Combine(volume.Path, "plain"), new byte[100_000]);
        // A pipe must not be opened, and a link must not be counted twice.
        Shell.Run("mkfifo", Path.Combine(volume.Path, "pipe")).ExitCode.ShouldBe(0);
        File.CreateSymbolicLink(Path.Combine(volume.Path, "link"), scattered);
        // A name that is no text in UTF-8.
        Shell.Run("sh", "-c", "mkdir \"$1/$(printf 'd\\351')\" && echo x > \"$1/$(printf 'd\\351/e\\351')\"", "sh", volume.Path)
            .ExitCode.ShouldBe(0);

        ToolRun run = await ToolRun.SucceedAsync("extents", "--sync", "--json", Folder["r.json"], volume.Path);
        run.Out.ShouldContain("4 files, 2 in more than one piece");
        run.Out.ShouldContain("up to 16 KiB");
        JsonElement json = Folder.Json("r.json");
        json.GetProperty("formatVersion").GetInt32().ShouldBe(1);
        JsonElement worst = json.GetProperty("worstFiles");
        worst.GetArrayLength().ShouldBe(2);
        worst[0].GetProperty("pieces").GetInt32().ShouldBe(16);
        json.GetProperty("score").GetDouble().ShouldBeGreaterThan(50);
        json.GetProperty("unplacedBytes").GetInt64().ShouldBe(0);

        ToolRun one = await ToolRun.SucceedAsync("extents", "-e3", scattered);
        one.Out.ShouldContain("16 extents in 16 pieces");
        one.Out.ShouldContain("The first 3 of 16");
        ToolRun plain = await ToolRun.RunAsync("extents", Path.Combine(volume.Path, "plain"));
        plain.Out.ShouldContain("1 extent in 1 piece, fragmentation score 0");
    }

    [Fact]
    public async Task What_was_found_before_a_signal_is_told_also_where_there_are_folders_alone()
    {
        Directory.CreateDirectory(Folder["tree/a/b"]);
        ToolRun run = await ToolRun.RunAsync(
            ["extents", Folder["tree"], "--json", Folder["r.json"]], input: null, new CancellationToken(canceled: true));
        run.ExitCode.ShouldBe(ExitCode.Interrupted);
        run.Out.ShouldContain("0 files");
        run.Out.ShouldContain("interrupted: the remaining files were not examined");
        JsonElement json = Folder.Json("r.json");
        json.GetProperty("interrupted").GetBoolean().ShouldBeTrue();
    }

    // Two files preallocated block by block in turns: neither can be whole.
    private static void WriteInTurns(string one, string other)
    {
        const int Step = 16 << 10;
        using SluiceHandle a = SluiceHandle.Open(one, FileMode.CreateNew, FileAccess.Write);
        using SluiceHandle b = SluiceHandle.Open(other, FileMode.CreateNew, FileAccess.Write);
        for (int i = 0; i < 16; i++)
        {
            a.Allocate(i * Step, Step);
            b.Allocate(i * Step, Step);
        }
        a.Write(new byte[16 * Step], 0);
        b.Write(new byte[16 * Step], 0);
    }
}
