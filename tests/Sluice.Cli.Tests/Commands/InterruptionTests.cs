using Shouldly;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>Signals, sent to the tool as a process of its own.</summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed class InterruptionTests : FolderTest
{
    private bool HasScratchFile => Directory.EnumerateFiles(Folder.FullPath, "hot.dat", SearchOption.AllDirectories).Any();

    [SkippableTheory]
    [InlineData("INT", ExitCode.Interrupted)]
    [InlineData("TERM", ExitCode.Terminated)]
    public async Task Speed_prints_what_it_measured_until_the_signal(string signal, int exitCode)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "progress is watched in /proc");
        using ToolProcess tool = ToolProcess.Start(
            Folder.FullPath, "speed", "-t600", "--warmup", "0", "-r1M", "--json", "r.json", "a.dat");
        await tool.WaitUntilReadAsync(500_000_000);
        tool.Signal(signal);
        ToolRun run = await tool.EndAsync(exitCode);
        run.Out.ShouldContain("interrupted: the figures are of the time until then");
        run.Out.ShouldContain("99.999 %");
        File.ReadAllText(Folder["r.json"]).ShouldContain("\"interrupted\": true");
        new FileInfo(Folder["a.dat"]).Length.ShouldBe(1024 * 1024);
    }

    [SkippableFact]
    public async Task Speed_does_not_deny_the_creation_that_it_measured()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "progress is watched in /proc");
        using ToolProcess tool = ToolProcess.Start(Folder.FullPath, "speed", "-t600", "--warmup", "600", "-x1M", "a.dat");
        await tool.WaitUntilReadAsync(500_000_000);
        tool.Signal("INT");
        ToolRun run = await tool.EndAsync(ExitCode.Interrupted);
        run.Out.ShouldContain("Creating the file");
        run.Out.ShouldNotContain("before anything was measured");
    }

    [SkippableFact]
    public async Task A_load_of_a_log_says_that_it_was_ended()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "signals are sent by kill");
        using ToolProcess tool = ToolProcess.Start(
            Folder.FullPath, "log", "--time", "600", "--threads", "2", "--json", "r.json", "--html", "r.html", ".");
        await tool.WaitUntilWrittenAsync(10_000_000);
        tool.Signal("INT");
        ToolRun run = await tool.EndAsync(ExitCode.Interrupted);
        const string note = "interrupted: the figures are of the time until then";
        run.Out.ShouldEndWith($"note: {note}\n");
        File.ReadAllText(Folder["r.json"]).ShouldContain(note);
        File.ReadAllText(Folder["r.html"]).ShouldContain(note);
    }

    [SkippableTheory]
    [InlineData("INT", ExitCode.Interrupted)]
    [InlineData("TERM", ExitCode.Terminated)]
    public async Task Bench_removes_its_folder_after_the_signal(string signal, int exitCode)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "signals are sent by kill");
        using ToolProcess tool = ToolProcess.Start(Folder.FullPath, "bench", ".", "--row", "hot-read");
        await tool.WaitUntilAsync(() => HasScratchFile);
        // Twice, as timeout(1) does: to the process and to its group.
        tool.Signal(signal, signal);
        ToolRun run = await tool.EndAsync(exitCode);
        run.Out.ShouldContain("interrupted");
        Directory.EnumerateFileSystemEntries(Folder.FullPath).ShouldBeEmpty();
    }

    [SkippableFact]
    public async Task Where_locks_have_no_effect_a_folder_stays()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "signals are sent by kill");
        string old = Directory.CreateDirectory(Folder["sluice-bench-0123abcd"]).FullName;
        await File.WriteAllTextAsync(Path.Combine(old, "sluice-bench.lock"), "");
        using ToolProcess tool = ToolProcess.StartAs(
            ["env", "DOTNET_SYSTEM_IO_DISABLEFILELOCKING=1"], Folder.FullPath, "ops", "--size", "4K", "--rounds", "1", ".");
        await tool.EndAsync(ExitCode.Success);
        Directory.EnumerateDirectories(Folder.FullPath).ShouldBe([old]);
    }

    /// <summary>A reader that never comes: one signal is enough, whenever it comes.</summary>
    [SkippableTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_pipe_without_a_reader_holds_nobody_beyond_a_signal(bool whileMeasuring)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "signals are sent by kill");
        Skip.IfNot(whileMeasuring || ToolProcess.TellsWaits, "this kernel does not tell what a thread waits for");
        Shell.Run("mkfifo", Folder["pipe"]).ExitCode.ShouldBe(0);
        string time = whileMeasuring ? "-t600" : "-t0.1";
        using ToolProcess tool = ToolProcess.Start(Folder.FullPath, "speed", time, "--warmup", "0", "-r1M", "--json", "pipe", "a.dat");

        // A tenth of a second may be too short for so many bytes.
        await (whileMeasuring ? tool.WaitUntilReadAsync(20_000_000) : tool.WaitUntilAsync(tool.IsInOpen));
        tool.Signal("TERM");
        await tool.EndAsync(ExitCode.Terminated);
    }
}
