using System.Text.Json;
using Shouldly;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>What a result is written over, and what it is not.</summary>
[Trait("Runs", "once")]
public sealed class ResultFileTests : FolderTest
{
    private static readonly string[] Command = ["ops", "--size", "8K", "--rounds", "1", "--quiet"];

    [Trait("Tier", "slow")]
    [SkippableTheory]
    [InlineData("--json")]
    [InlineData("--html")]
    [InlineData("--csv")]
    public async Task A_result_is_not_written_over_a_block_device(string option)
    {
        // A loop device over a file of our own: were the refusal missing, only that file would be written.
        string backing = Folder["disk.img"];
        await File.WriteAllBytesAsync(backing, new byte[1024 * 1024]);
        using TestVolume loop = TestVolume.AttachLoop(backing);
        await CommandChecks.RefusesAsync("block device", [.. Command, option, loop.Path, "--overwrite", Folder.FullPath]);
        Shell.Run("sync", loop.Path);
        (await File.ReadAllBytesAsync(backing)).ShouldAllBe(b => b == 0);
    }

    [SkippableTheory]
    [InlineData("compare", "a.json", "b.json")]
    [InlineData("merge", "a.json")]
    [InlineData("speed", "-t0.1", "-b1", "a.json")]
    public async Task What_is_read_is_no_place_for_a_result_by_whatever_name(params string[] typed)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "which names are one file's is Linux's to tell");
        await File.WriteAllTextAsync(Folder["a.json"], "somebody's");
        await File.WriteAllTextAsync(Folder["b.json"], "{}");
        File.CreateSymbolicLink(Folder["link"], "a.json");
        using ToolProcess tool = ToolProcess.Start(Folder.FullPath, [.. typed, "--json", "link", "--overwrite"]);
        CommandChecks.ShouldFail(await tool.EndAsync(), ExitCode.Usage, "--json names ");
        (await File.ReadAllTextAsync(Folder["a.json"])).ShouldBe("somebody's");
    }

    [SkippableFact]
    public async Task A_named_pipe_gets_the_whole_result()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "named pipes are made by mkfifo");
        Shell.Run("mkfifo", Folder["pipe"]).ExitCode.ShouldBe(0);
        Task<(int ExitCode, string Output)> reading = Task.Run(() => Shell.Run("cat", Folder["pipe"]));
        using ToolProcess tool = ToolProcess.Start(Folder.FullPath, [.. Command, "--json", "pipe", "."]);
        // Not how fast, but whether at all: who opened the pipe only to try it has ended its reader, and then waits for another.
        ToolRun run = await tool.EndAsync().WaitAsync(TimeSpan.FromMinutes(2));
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        using JsonDocument result = JsonDocument.Parse((await reading).Output);
        result.RootElement.GetProperty("sections").GetArrayLength().ShouldBe(1);
    }

    [SkippableTheory]
    [InlineData("extents", true)]
    [InlineData("doctor", true)]
    [InlineData("examples --count 10 --rounds 1 --force", true)]
    [InlineData("examples --count 10 --rounds 1 --force", false)]
    public async Task What_a_command_is_about_is_no_place_for_its_result(string command, bool exists)
    {
        Skip.If(OperatingSystem.IsWindows(), "links need rights there");
        Directory.CreateDirectory(Folder["d"]);
        Directory.CreateSymbolicLink(Folder["link"], "d");
        if (exists)
            await File.WriteAllTextAsync(Folder["d/a"], "mine");
        foreach (string named in (string[])["d/a", "link/a"])
        {
            await CommandChecks.RefusesAsync(
                $"--json names {Folder["d/a"]}", [.. command.Split(' '), "--overwrite", "--json", Folder[named], Folder["d/a"]]);
            File.Exists(Folder["d/a"]).ShouldBe(exists);
            if (exists)
                (await File.ReadAllTextAsync(Folder["d/a"])).ShouldBe("mine");
        }
    }

    /// <summary>The disk may become full while it is written.</summary>
    [Trait("Tier", "slow")]
    [SkippableFact]
    public async Task A_result_that_cannot_be_written_leaves_what_was_there()
    {
        using TestVolume small = TestVolume.MountMemory(Folder["small"], "1M");
        string old = Path.Combine(small.Path, "old.json");
        await File.WriteAllTextAsync(old, "old");
        Should.Throw<IOException>(() => File.WriteAllBytes(Path.Combine(small.Path, "fill"), new byte[2 << 20]));
        foreach (string name in (string[])["old.json", "new.json"])
        {
            string path = Path.Combine(small.Path, name);
            ToolRun run = await ToolRun.RunAsync([.. Command, "--overwrite", "--json", path, Folder.FullPath]);
            run.ExitCode.ShouldBe(ExitCode.IoError);
            run.Error.ShouldContain($"sluice: {path} at offset 0: no space left on device");
        }
        (await File.ReadAllTextAsync(old)).ShouldBe("old");
        File.Exists(Path.Combine(small.Path, "new.json")).ShouldBeFalse();
    }

    [Theory]
    [InlineData("frag --dry-run --budget 1M --leave 0 -Fm64K -FM64K --json r.json .")]
    [InlineData("frag --cleanup --json - .")]
    [InlineData("examples --list --json r.json")]
    [InlineData("examples --show read-byte-direct --csv -")]
    public Task A_result_is_not_asked_of_what_measures_nothing(string typed) => CommandChecks.IsRefusedAsync(typed);

    [Theory]
    [InlineData("--json")]
    [InlineData("--html")]
    [InlineData("--csv")]
    public async Task What_came_into_being_meanwhile_is_not_replaced(string option)
    {
        byte[] content = [1, 2, 3, 4, 5];
        Directory.CreateDirectory(Folder["a"]);
        await File.WriteAllBytesAsync(Folder["a/x"], content);
        Directory.CreateDirectory(Folder["b"]);
        ToolRun run = await ToolRun.RunAsync("copy", "-r", Folder["a/."], Folder["b"], option, Folder["b/x"]);
        (await File.ReadAllBytesAsync(Folder["b/x"])).ShouldBe(content);
        run.ExitCode.ShouldBe(ExitCode.IoError);
        run.Error.ShouldContain("exists");
    }

    [SkippableFact]
    public async Task A_pipe_that_came_into_being_meanwhile_is_not_written_to()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "named pipes are made by mkfifo");
        Directory.CreateDirectory(Folder["a"]);
        Shell.Run("mkfifo", Folder["a/x"]).ExitCode.ShouldBe(0);
        Directory.CreateDirectory(Folder["b"]);
        ToolRun run = await ToolRun.RunAsync("copy", "-r", Folder["a/."], Folder["b"], "--json", Folder["b/x"])
            .WaitAsync(TimeSpan.FromMinutes(2));
        run.ExitCode.ShouldBe(ExitCode.IoError);
        run.Error.ShouldContain("exists");
    }
}
