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

    /// <summary>With --overwrite too, and that is not suggested.</summary>
    [SkippableTheory]
    [InlineData("copy --json f f x", "--json names f, which is copied")]
    [InlineData("copy --json link f x", "--json names f, which is copied")]
    [InlineData("copy --csv hard f x", "--csv names f, which is copied")]
    [InlineData("copy --html g f g d", "--html names g, which is copied")]
    [InlineData("copy -f --json g f g", "--json names g, the copy of f")]
    [InlineData("copy -f --json d/f f d", "--json names d/f, the copy of f")]
    [InlineData("copy --json list --files-from list x", "--json names list, the list of --files-from")]
    [InlineData("copy -r --json d/f d x", "--json names d/f, which is copied with d")]
    [InlineData("copy -ru --json d/f e/. d", "--json names d/f, the copy of e/./f")]
    [InlineData("copy -r --json d/f --exclude g d x", "--json names d/f, which is copied with d")]
    [InlineData("copy --demo --json f --csv f", "f is named for two results")]
    [InlineData("ops --json f --html link", "link is named for two results")]
    [InlineData("merge --json list list", "--json names a result that is merged")]
    [InlineData("compare --csv g f g", "--csv names a result that is compared")]
    public async Task A_result_is_no_place_for_what_a_command_reads_or_copies(string typed, string words)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "ln makes hard links there");
        Directory.CreateDirectory(Folder["d"]);
        Directory.CreateDirectory(Folder["e"]);
        foreach (string name in (string[])["f", "g", "d/f", "e/f"])
            await File.WriteAllTextAsync(Folder[name], name);
        await File.WriteAllTextAsync(Folder["list"], "f\n");
        File.CreateSymbolicLink(Folder["link"], "f");
        Shell.Run("ln", Folder["f"], Folder["hard"]).ExitCode.ShouldBe(0);
        foreach (string[] line in (string[][])[typed.Split(' '), [.. typed.Split(' '), "--overwrite"]])
        {
            using ToolProcess tool = ToolProcess.Start(Folder.FullPath, line);
            ToolRun run = await tool.EndAsync(ExitCode.Usage);
            run.Error.ShouldBe($"sluice: {words}\n");
            Directory.EnumerateFileSystemEntries(Folder.FullPath).Select(Path.GetFileName).Order()
                .ShouldBe(["d", "e", "f", "g", "hard", "link", "list"]);
            foreach (string name in (string[])["f", "g", "d/f", "e/f"])
                (await File.ReadAllTextAsync(Folder[name])).ShouldBe(name);
            (await File.ReadAllTextAsync(Folder["list"])).ShouldBe("f\n");
        }
    }

    [Fact]
    public async Task An_old_result_may_lie_in_a_tree_that_is_copied_without_it()
    {
        Folder.Make("d/f", 3);
        Folder.Make("d/sub/old.json", 3);
        await ToolRun.SucceedAsync(
            "copy", "-r", "--exclude", "sub", "--overwrite", "--json", Folder["d/sub/old.json"], Folder["d"], Folder["x"]);
        Folder.Json("d/sub/old.json").GetProperty("files").GetInt64().ShouldBe(1);
    }

    [SkippableFact]
    public async Task An_old_result_may_lie_in_a_folder_whose_link_is_copied()
    {
        Skip.If(OperatingSystem.IsWindows(), "links need rights there");
        Folder.Make("d/old.json", 3);
        Directory.CreateSymbolicLink(Folder["link"], "d");
        await ToolRun.SucceedAsync("copy", "-r", "--overwrite", "--json", Folder["d/old.json"], Folder["link"], Folder["x"]);
        new FileInfo(Folder["x"]).LinkTarget.ShouldBe("d");
        Folder.Json("d/old.json").GetProperty("files").GetInt64().ShouldBe(1);
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
