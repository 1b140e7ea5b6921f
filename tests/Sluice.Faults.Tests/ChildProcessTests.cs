using Shouldly;
using Sluice.Faults.Child.Commands;
using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Child.Support;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>Processes that start others while transfers are in flight, and processes that end while writes are.</summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed class ChildProcessTests
{
    public static TheoryData<string, string, int> Ends()
    {
        TheoryData<string, string, int> ends = [];
        foreach (string engine in (string[])["uring", "pool"])
        {
            ends.Add(engine, "return", 0);
            ends.Add(engine, "exit", 0);
            ends.Add(engine, "handler", 0);

            // SIGABRT: 128 and its number.
            ends.Add(engine, "thread", 134);
        }

        return ends;
    }

    [SkippableTheory]
    [InlineData("uring")]
    [InlineData("pool")]
    public async Task Starting_processes_harms_no_transfer_and_hands_no_descriptor_on(string engine)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "descriptors are listed in /proc");
        using Mount mount = new(FileSystemKind.Local);
        using ChildProcess child = new(engine, "fork", mount.Folder);
        string[] output = await child.FinishAsync();
        child.ExitCode.ShouldBe(0, child.Errors);
        output.Where(static line => line.StartsWith("bad", StringComparison.Ordinal)).ShouldBeEmpty();
        string rounds = output.Single(static line => line.StartsWith("rounds=", StringComparison.Ordinal));
        int.Parse(rounds.AsSpan("rounds=".Length)).ShouldBeGreaterThan(2);
    }

    [SkippableTheory]
    [MemberData(nameof(Ends))]
    public async Task What_was_acknowledged_before_a_process_ended_is_there(string engine, string way, int exitCode)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "exit codes are those of Linux");
        using Mount mount = new(FileSystemKind.Local);
        using ChildProcess child = new(engine, "exit", way, mount.Folder);
        string[] output = await child.FinishAsync();
        child.ExitCode.ShouldBe(exitCode, child.Errors);
        output.Length.ShouldBe(way == "handler" ? 8 : 6, string.Join('\n', output));
        byte[] content = Pattern.Bytes(1, ExitCommand.Chunks * ExitCommand.Chunk);
        byte[] late = Pattern.Bytes(99, ExitCommand.Chunk);
        foreach (string line in output)
        {
            string[] parts = line.Split(' ');
            int acknowledged = int.Parse(parts[1]);
            byte[] expected = line.StartsWith("late", StringComparison.Ordinal) ? late : content;
            byte[] written = await File.ReadAllBytesAsync(Path.Combine(mount.Folder, parts[0]));
            written.Length.ShouldBeGreaterThanOrEqualTo(acknowledged, line);
            FileModel.ShouldMatch(written.AsSpan(0, acknowledged), expected.AsSpan(0, acknowledged), line);
        }
    }
}
