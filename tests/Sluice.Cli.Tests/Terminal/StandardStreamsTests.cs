using Shouldly;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Terminal;

/// <summary>Streams that take nothing or lead nowhere, in a process of its own.</summary>
[Trait("Runs", "once")]
public sealed class StandardStreamsTests : FolderTest
{
    private const string Full = "/dev/full";

    public StandardStreamsTests() => File.WriteAllBytes(Folder["a.bin"], new byte[100_000]);

    public static TheoryData<string> Commands => new(
        "--help", "--version", "speed --help", "bench --help", "copy a.bin b.bin", "copy --dry-run a.bin b.bin", "doctor .",
        "extents a.bin",
        "speed -t0.1 --warmup 0 a.bin", "speed -t0.1 --warmup 0 -q a.bin", "speed -t0.1 --warmup 0 --json - a.bin",
        "ops --rounds 1 --size 4K .",
        "bench . --quick --row open-close", "frag --dry-run --budget 2M -Fm1 -FM1 -n1 .", "examples --show write-block-direct",
        "log --threads 1 --time 1 .");

    [SkippableTheory]
    [MemberData(nameof(Commands))]
    public async Task A_full_device_is_named_as_stdout(string command)
    {
        ToolRun run = await RunAsync($"> {Full}", command.Split(' '));
        run.ExitCode.ShouldBe(ExitCode.IoError, run.Error);
        run.Error.ShouldEndWith("sluice: stdout: no space left on device\n");
        run.Error.Split('\n').Count(l => l.StartsWith("sluice: ", StringComparison.Ordinal)).ShouldBe(1, run.Error);
    }

    [SkippableTheory]
    [InlineData("LC_ALL=C.UTF-8 LANG=C", true)]
    [InlineData("LC_ALL= LANG=en_US.utf8", true)]
    [InlineData("LANG=ca_ES.UTF-8@valencia", true)]
    [InlineData("LC_ALL=C LANG=en_US.UTF-8", false)]
    [InlineData("LC_CTYPE=en_US.ISO-8859-1 LANG=en_US.UTF-8", false)]
    [InlineData("LANG=C", false)]
    [InlineData("HOME=/root", false)]
    [InlineData("LC_ALL=C.UTF-8 TERM=dumb", false)]
    public void A_terminal_gets_ASCII_unless_its_locale_is_UTF8(string environment, bool isUtf8)
    {
        Skip.If(OperatingSystem.IsWindows(), "consoles of Windows have no locale of their own");
        Dictionary<string, string> variables =
            environment.Split(' ').Select(v => v.Split('=')).ToDictionary(v => v[0], v => v[1], StringComparer.Ordinal);
        StandardStreams.IsUtf8Terminal(n => variables.GetValueOrDefault(n)).ShouldBe(isUtf8);
    }

    [SkippableFact]
    public async Task What_a_command_does_it_does_all_the_same()
    {
        File.WriteAllBytes(Folder["c.bin"], new byte[10]);
        Directory.CreateDirectory(Folder["to"]);
        CommandChecks.ShouldFail(await RunAsync($"> {Full}", "copy", "--json", "r.json", "a.bin", "c.bin", "to"), ExitCode.IoError,
            "stdout: no space left on device");
        Directory.GetFiles(Folder["to"]).Length.ShouldBe(2);
        File.ReadAllText(Folder["r.json"]).ShouldContain("\"failed\": 0");
    }

    [SkippableFact]
    public async Task A_log_on_a_full_device_is_named_too()
    {
        using (SluiceLog log = SluiceLog.Open(Folder["log"]))
            log.Append("a record"u8, LogDurability.Durable);
        CommandChecks.ShouldFail(
            await RunAsync($"> {Full}", "log", "cat", "log"), ExitCode.IoError, "stdout: no space left on device");
    }

    [SkippableTheory]
    [InlineData("2> /dev/full", "copy a.bin b.bin", ExitCode.Success)]
    [InlineData("2> /dev/full", "copy missing b.bin", ExitCode.IoError)]
    [InlineData("2> /dev/full > /dev/full", "nonsense", ExitCode.Usage)]
    [InlineData("2> /dev/full > /dev/full", "--help", ExitCode.IoError)]
    [InlineData("2>&-", "copy missing b.bin", ExitCode.IoError)]
    [InlineData("<&- >&- 2>&-", "copy -q a.bin b.bin", ExitCode.Success)]
    [InlineData("<&- >&- 2>&-", "copy a.bin b.bin", ExitCode.IoError)]
    public async Task Errors_that_nobody_can_be_told_of_are_exit_codes(string redirection, string command, int exitCode)
    {
        ToolRun run = await RunAsync(redirection, command.Split(' '));
        run.ExitCode.ShouldBe(exitCode, run.Error);
    }

    [SkippableFact]
    public async Task A_closed_stdout_is_named_where_something_was_to_be_said()
    {
        CommandChecks.ShouldFail(await RunAsync(">&-", "copy", "a.bin", "b.bin"), ExitCode.IoError, "stdout: closed");
        File.ReadAllBytes(Folder["b.bin"]).ShouldBe(File.ReadAllBytes(Folder["a.bin"]));
        (await RunAsync(">&-", "copy", "-qf", "a.bin", "b.bin")).ShouldBe(new ToolRun(ExitCode.Success, "", ""));
    }

    [SkippableFact]
    public async Task A_stdout_that_cannot_be_written_to_is_named()
    {
        CommandChecks.ShouldFail(await RunAsync("1< /dev/null", "--version"), ExitCode.IoError, "stdout: bad file descriptor");
    }

    private async Task<ToolRun> RunAsync(string redirection, params string[] arguments)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the full device is Linux's");
        using ToolProcess tool = ToolProcess.StartAs(["sh", "-c", $"exec \"$@\" {redirection}", "sh"], Folder.FullPath, arguments);
        return await tool.EndAsync();
    }
}
