using Shouldly;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

public sealed class LogRunTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("sluice-log-command-").FullName;

    private string Log => Path.Combine(_folder, "log");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("buffered")]
    [InlineData("written")]
    [InlineData("durable")]
    public async Task A_load_reads_every_record_back_and_leaves_nothing(string durability)
    {
        ToolRun run = await ToolRun.RunAsync(
            "log", "--threads", "6", "--rate", "200K", "--roll", "256K", "--time", "1", "--durability", durability, "-q", _folder);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        run.Out.ShouldContain(" 0 missing");
        run.Out.ShouldContain("p99.9");
        Directory.EnumerateFileSystemEntries(_folder).ShouldBeEmpty();
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
        ToolRun verify = await ToolRun.RunAsync("log", "verify", Log);
        verify.ExitCode.ShouldBe(ExitCode.Success, verify.Error);
        verify.Out.ShouldContain("30 records");
        ToolRun cut = await ToolRun.RunAsync("log", "truncate", "--after", "20", Log);
        cut.ExitCode.ShouldBe(ExitCode.Success, cut.Error);
        cut.Out.ShouldContain("records 1 to 20");
        (await ToolRun.RunAsync("log", "tail", "-n1", Log)).Out.Trim().ShouldBe("line 20");
    }

    [Theory]
    [InlineData("cat")]
    [InlineData("tail")]
    [InlineData("verify")]
    [InlineData("truncate", "--before", "2")]
    public async Task A_folder_without_a_log_is_an_error_and_stays_empty(params string[] action)
    {
        ToolRun missing = await ToolRun.RunAsync(["log", .. action, Log]);
        missing.ExitCode.ShouldBe(ExitCode.IoError);
        missing.Error.ShouldBe($"sluice: {Log}: no such directory{Environment.NewLine}");
        Directory.CreateDirectory(Log);
        ToolRun empty = await ToolRun.RunAsync(["log", .. action, Log]);
        empty.ExitCode.ShouldBe(ExitCode.IoError);
        empty.Error.ShouldBe($"sluice: {Log}: there is no log in it{Environment.NewLine}");
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

        string copy = Path.Combine(_folder, "copy");
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
                log.Append(new byte[100], LogDurability.Durable);
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
    }

    [Theory]
    [InlineData("log", "dog", "x")]
    [InlineData("log", "cat")]
    [InlineData("log", "truncate", "x")]
    [InlineData("log", "--durability", "eternal")]
    [InlineData("log", "--size", "5")]
    public async Task What_makes_no_sense_is_exit_code_2(params string[] arguments) =>
        (await ToolRun.RunAsync(arguments)).ExitCode.ShouldBe(ExitCode.Usage);

    [Fact]
    public async Task A_log_that_is_not_there_is_exit_code_1_and_is_not_made()
    {
        foreach (string action in (string[])["cat", "tail", "verify"])
            (await ToolRun.RunAsync("log", action, Log)).ExitCode.ShouldBe(ExitCode.IoError);
        (await ToolRun.RunAsync("log", "truncate", "--after", "1", Log)).ExitCode.ShouldBe(ExitCode.IoError);
        Directory.Exists(Log).ShouldBeFalse();
    }
}
