using Shouldly;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

public sealed class LogRunTests : FolderTest
{
    private readonly FullDisk _disk = new();

    private string Log => Folder["log"];

    [Theory]
    [InlineData("buffered")]
    [InlineData("written")]
    [InlineData("durable")]
    public async Task A_load_reads_every_record_back_and_leaves_nothing(string durability)
    {
        ToolRun run = await ToolRun.SucceedAsync(
            "log", "--threads", "6", "--rate", "200K", "--roll", "256K", "--time", "1", "--durability", durability, "-q", Folder.FullPath);
        run.Out.ShouldMatch(@"missing +0  records\ndoubled or changed +0  records\n");
        run.Out.ShouldContain("99.9 %");
        Directory.EnumerateFileSystemEntries(Folder.FullPath).ShouldBeEmpty();
    }

    [Fact]
    public async Task Cat_tail_verify_and_truncate_show_and_cut_a_log()
    {
        using (SluiceLog log = SluiceLog.Open(Log))
        {
            for (int i = 1; i <= 30; i++)
                log.Append(System.Text.Encoding.UTF8.GetBytes($"line {i}"));
        }

        (await ToolRun.RunAsync("log", "cat", "--from", "28", Log)).Out.ReplaceLineEndings("\n").ShouldBe("line 28\nline 29\nline 30\n");
        (await ToolRun.RunAsync("log", "tail", "-n2", Log)).Out.ReplaceLineEndings("\n").ShouldBe("line 29\nline 30\n");
        ToolRun verify = await ToolRun.SucceedAsync("log", "verify", Log);
        verify.Out.ShouldContain("30 records");
        ToolRun cut = await ToolRun.SucceedAsync("log", "truncate", "--after", "20", Log);
        cut.Out.ShouldContain("records 1 to 20");
        (await ToolRun.RunAsync("log", "tail", "-n1", Log)).Out.Trim().ShouldBe("line 20");
    }

    [Theory]
    [InlineData(0, "records 1 to 3")]
    [InlineData(3, "no record; the next is 1")]
    public async Task Truncate_says_what_there_is_where_the_record_is_not(int dropped, string has)
    {
        using (SluiceLog log = SluiceLog.Open(Log))
        {
            for (int i = 1; i <= 3; i++)
                log.Append("record"u8);
            log.TruncateAfter(3 - dropped);
        }

        await CommandChecks.FailsAsync($"--after 9: there is no such record; {Log} has {has}", "log", "truncate", "--after", "9", Log);
        ToolRun same = await ToolRun.RunAsync("log", "truncate", "--before", "1", Log);
        same.Out.ShouldContain(has);
    }

    /// <summary>Whoever counts finds more numbers than records, and is told why.</summary>
    [Theory]
    [InlineData(0, "4 records, 24 B, from 1 on; the next is 5\n")]
    [InlineData(1, "4 records, 24 B, from 1 on; the next is 6\n1 number has no record: its append failed or was abandoned\n")]
    [InlineData(2, "4 records, 24 B, from 1 on; the next is 7\n2 numbers have no record: their appends failed or were abandoned\n")]
    public async Task Verify_says_why_numbers_are_nobodys(int withdrawn, string output)
    {
        using (SluiceLog log = SluiceLog.Open(Log, new SluiceLogOptions { Engine = _disk }))
        {
            log.AppendBatch([new("record"u8.ToArray()), new("record"u8.ToArray())]);
            FailAppends(log, withdrawn);
            log.AppendBatch([new("record"u8.ToArray()), new("record"u8.ToArray())]);
        }

        ToolRun run = await ToolRun.SucceedAsync("log", "verify", Log);
        run.Out.ReplaceLineEndings("\n").ShouldBe(output);
        (await ToolRun.RunAsync("log", "tail", "-n3", Log)).Out.ReplaceLineEndings("\n").ShouldBe("record\nrecord\nrecord\n");
        (await ToolRun.RunAsync("log", "cat", "--from", "3", Log)).Out.ReplaceLineEndings("\n").ShouldBe("record\nrecord\n");
    }

    /// <summary>Records that were withdrawn have numbers, and are none of the last ones.</summary>
    [Theory]
    [InlineData(3, 5, 6)]
    [InlineData(9, 5, 6)]
    [InlineData(1, 9, 2)]
    [InlineData(1, 10, 1)]
    [InlineData(1, 40, 1)]
    [InlineData(1, 0, 11)]
    public async Task Tail_shows_as_many_records_as_were_asked_for(int withdrawn, int lines, int first)
    {
        using (SluiceLog log = SluiceLog.Open(Log, new SluiceLogOptions { Engine = _disk }))
        {
            for (int i = 1; i <= 10; i++)
                log.Append(System.Text.Encoding.UTF8.GetBytes($"line {i}"));
            FailAppends(log, withdrawn);
        }

        ToolRun run = await ToolRun.SucceedAsync("log", "tail", $"-n{lines}", Log);
        run.Out.ReplaceLineEndings("\n").ShouldBe(string.Concat(Enumerable.Range(first, 11 - first).Select(static i => $"line {i}\n")));
    }

    [Theory]
    [InlineData("cat")]
    [InlineData("tail")]
    [InlineData("verify")]
    [InlineData("truncate", "--before", "2")]
    public async Task A_folder_without_a_log_is_an_error_and_stays_empty(params string[] action)
    {
        await CommandChecks.FailsAsync($"{Log}: no such directory", ["log", .. action, Log]);
        Directory.CreateDirectory(Log);
        await CommandChecks.FailsAsync($"{Log} contains no log", ["log", .. action, Log]);
        Directory.EnumerateFileSystemEntries(Log).ShouldBeEmpty();
    }

    [Fact]
    public async Task Piped_records_keep_their_bytes()
    {
        byte[] record = [.. Enumerable.Range(0, 256).Select(i => (byte)i)];
        using (SluiceLog log = SluiceLog.Open(Log))
        {
            log.Append(record);
            log.Append(record);
        }

        string copy = Folder["copy"];
        string line = $"'{ToolProcess.DotnetPath}' '{ToolProcess.ToolPath}' log cat '{Log}' > '{copy}'";
        Shell.Run("sh", "-c", line).ExitCode.ShouldBe(ExitCode.Success);
        (await File.ReadAllBytesAsync(copy)).ShouldBe((byte[])[.. record, (byte)'\n', .. record, (byte)'\n']);
    }

    [Fact]
    public async Task Damage_is_told_with_its_place_and_exit_code_1()
    {
        using (SluiceLog log = SluiceLog.Open(Log))
        {
            for (int i = 1; i <= 30; i++)
                log.Append(System.Text.Encoding.UTF8.GetBytes($"line {i}".PadRight(100)), LogDurability.Durable);
        }

        string segment = Directory.GetFiles(Log, "*.slog").Single();
        byte[] bytes = await File.ReadAllBytesAsync(segment);
        bytes[1000] ^= 1;
        await File.WriteAllBytesAsync(segment, bytes);
        ToolRun verify = await ToolRun.RunAsync("log", "verify", Log);
        verify.ExitCode.ShouldBe(ExitCode.IoError);
        verify.Error.ShouldContain(segment);
        verify.Error.ShouldContain("offset");
        (await ToolRun.RunAsync("log", "truncate", "--after", "3", Log)).ExitCode.ShouldBe(ExitCode.IoError);

        ToolRun cat = await ToolRun.RunAsync("log", "cat", Log);
        cat.ExitCode.ShouldBe(ExitCode.IoError);
        cat.Error.ShouldContain(segment);
        cat.Out.ShouldContain("line 1 ");
        cat.Out.ShouldNotContain("line 30 ");
        ToolRun skipping = await ToolRun.RunAsync("log", "cat", "--skip-damage", Log);
        skipping.ExitCode.ShouldBe(ExitCode.IoError);
        skipping.Error.ShouldContain(segment);
        skipping.Out.ShouldStartWith(cat.Out);
        skipping.Out.TrimEnd('\n', '\r').ShouldEndWith("line 30".PadRight(100));
    }

    [Theory]
    [InlineData("log dog x")]
    [InlineData("log cat")]
    [InlineData("log truncate x")]
    [InlineData("log --durability eternal")]
    [InlineData("log --size 5")]
    public Task What_makes_no_sense_is_exit_code_2(string typed) => CommandChecks.IsRefusedAsync(typed);

    [Theory]
    [InlineData("log", "-f", "x")]
    [InlineData("log", "--from", "3", "x")]
    [InlineData("log", "cat", "-n5", "x")]
    [InlineData("log", "tail", "--from", "3", "x")]
    [InlineData("log", "verify", "--after", "3", "x")]
    [InlineData("log", "verify", "--threads", "3", "x")]
    [InlineData("log", "cat", "--html", "no.html", "x")]
    [InlineData("log", "truncate", "--after", "3", "-f", "x")]
    public async Task An_option_of_another_action_is_refused(params string[] arguments)
    {
        ToolRun run = await ToolRun.RunAsync(arguments);
        run.ExitCode.ShouldBe(ExitCode.Usage);
        run.Error.ShouldMatch("^sluice: --[a-z]+ is (for|the load test's)");
    }

    [Fact]
    public async Task A_load_makes_no_folder_but_its_own_and_asks_for_room()
    {
        string nowhere = Folder["no/such"];
        await CommandChecks.FailsAsync("no such directory", "log", "--time", "1", "--threads", "1", "--rate", "1K", nowhere);
        await CommandChecks.FailsAsync("needed", "log", "--time", "86400", "--threads", "1000", "--rate", "1T", Folder.FullPath);
        Directory.EnumerateFileSystemEntries(Folder.FullPath).ShouldBeEmpty();
    }

    [SkippableTheory]
    [InlineData("cat")]
    [InlineData("tail -f -n1000000")]
    public async Task A_reader_that_has_seen_enough_ends_what_it_reads_from(string action)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "pipes of a shell");
        using (SluiceLog log = SluiceLog.Open(Log))
        {
            for (int i = 1; i <= 50_000; i++)
                log.Append(System.Text.Encoding.UTF8.GetBytes($"line {i}"), LogDurability.Buffered);
        }

        string line = $"set -o pipefail; '{ToolProcess.DotnetPath}' '{ToolProcess.ToolPath}' log {action} '{Log}' | head -1; "
            + "echo ${PIPESTATUS[0]}";
        Task<(int ExitCode, string Output)> shell = Task.Run(() => Shell.Run("timeout", "300", "bash", "-c", line));
        (await shell).Output.ReplaceLineEndings("\n").ShouldBe("line 1\n0\n");
    }

    [SkippableFact]
    public void A_follower_of_a_log_to_which_nothing_is_appended_hears_that_nobody_reads_it()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "pipes of a shell");
        using (SluiceLog log = SluiceLog.Open(Log))
            log.Append("line 1"u8, LogDurability.Written);

        string line = $"'{ToolProcess.DotnetPath}' '{ToolProcess.ToolPath}' log tail -f '{Log}' | head -1; echo ${{PIPESTATUS[0]}}";
        Shell.Run("timeout", "60", "bash", "-c", line).Output.ReplaceLineEndings("\n").ShouldBe("line 1\n0\n");
    }

    private void FailAppends(SluiceLog log, int count)
    {
        _disk.IsFull = true;
        for (int i = 0; i < count; i++)
            Should.Throw<IOException>(() => log.Append("lost"u8, LogDurability.Written));
        _disk.IsFull = false;
    }

    private sealed class FullDisk : InterceptingEngine
    {
        private const int NoSpace = 28;

        public bool IsFull { get; set; }

        public override string Name => "full disk";

        protected override Interception OnSubmit(in IoSubmission submission) =>
            IsFull && submission.IsWrite ? Interception.Fail(NoSpace) : Interception.PassOn;
    }
}
