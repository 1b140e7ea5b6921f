using System.Text.Json;
using Shouldly;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>What a result is written over, and what it is not.</summary>
[Trait("Runs", "once")]
public sealed class ResultFileTests : IDisposable
{
    private static readonly string[] Command = ["ops", "--size", "8K", "--rounds", "1", "--quiet"];

    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [SkippableTheory]
    [InlineData("--json")]
    [InlineData("--html")]
    [InlineData("--csv")]
    public async Task A_result_is_not_written_over_a_block_device(string option)
    {
        // A loop device over a file of our own: were the refusal missing, only that file would be written.
        string backing = _folder["disk.img"];
        await File.WriteAllBytesAsync(backing, new byte[1024 * 1024]);
        using TestVolume loop = TestVolume.AttachLoop(backing);
        ToolRun run = await ToolRun.RunAsync([.. Command, option, loop.Path, "--overwrite", _folder.FullPath]);
        Shell.Run("sync", loop.Path);
        (await File.ReadAllBytesAsync(backing)).ShouldAllBe(b => b == 0);
        run.ExitCode.ShouldBe(ExitCode.Usage);
        run.Error.ShouldContain("block device");
    }

    [SkippableFact]
    public async Task A_named_pipe_gets_the_whole_result()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "named pipes are made by mkfifo");
        Shell.Run("mkfifo", _folder["pipe"]).ExitCode.ShouldBe(0);
        Task<(int ExitCode, string Output)> reading = Task.Run(() => Shell.Run("cat", _folder["pipe"]));
        using ToolProcess tool = ToolProcess.Start(_folder.FullPath, [.. Command, "--json", "pipe", "."]);
        // Not how fast, but whether at all: who opened the pipe only to try it has ended its reader, and then waits for another.
        ToolRun run = await tool.EndAsync().WaitAsync(TimeSpan.FromMinutes(2));
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        using JsonDocument result = JsonDocument.Parse((await reading).Output);
        result.RootElement.GetProperty("sections").GetArrayLength().ShouldBe(1);
    }

    [Theory]
    [InlineData("--json")]
    [InlineData("--html")]
    [InlineData("--csv")]
    public async Task What_came_into_being_meanwhile_is_not_replaced(string option)
    {
        byte[] content = [1, 2, 3, 4, 5];
        await File.WriteAllBytesAsync(_folder["a"], content);
        ToolRun run = await ToolRun.RunAsync("copy", _folder["a"], _folder["b"], option, _folder["b"]);
        (await File.ReadAllBytesAsync(_folder["b"])).ShouldBe(content);
        run.ExitCode.ShouldBe(ExitCode.IoError);
        run.Error.ShouldContain("exists");
    }

    [Theory]
    [InlineData("--json", "")]
    [InlineData("--html", "")]
    [InlineData("--csv", "")]
    public async Task The_argument_behind_an_empty_name_is_no_result_file(params string[] option)
    {
        await File.WriteAllTextAsync(_folder["mine"], "mine");
        ToolRun run = await ToolRun.RunAsync([.. Command, "--overwrite", .. option, _folder["mine"]]);
        (await File.ReadAllTextAsync(_folder["mine"])).ShouldBe("mine");
        run.ExitCode.ShouldBe(ExitCode.Usage);
        run.Error.ShouldContain("needs a value");
    }

    [Theory]
    [InlineData("frag --dry-run --budget 1M --leave 0 -Fm64K -FM64K --json r.json .")]
    [InlineData("frag --cleanup --json - .")]
    [InlineData("examples --list --json r.json")]
    [InlineData("examples --show read-byte-direct --csv -")]
    public Task A_result_is_not_asked_of_what_measures_nothing(string typed) => CommandChecks.IsRefusedAsync(typed);
}
