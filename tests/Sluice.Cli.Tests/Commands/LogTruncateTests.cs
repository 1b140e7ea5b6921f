using Shouldly;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>What `sluice log truncate` makes beside what is there.</summary>
public sealed class LogTruncateTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("sluice-log-truncate-").FullName;

    private string Log => Path.Combine(_folder, "log");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [SkippableFact]
    public async Task What_truncate_makes_may_be_read_by_who_may_read_the_newest_segment()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "permissions of Unix");
        using (SluiceLog log = SluiceLog.Open(Log, new SluiceLogOptions
        {
            SegmentBytes = 4096,
            MaxRecordBytes = 1000,
            BufferBytes = 4000,
            Preallocate = false,
            Durability = LogDurability.Durable,
        }))
        {
            for (int i = 0; i < 10_000 && Directory.GetFiles(Log, "*.slog").Length < 3; i++)
            {
                log.Append(new byte[900]);
                await Task.Delay(1);
            }
        }

        string[] segments = [.. Directory.GetFiles(Log, "*.slog").Order(StringComparer.Ordinal)];
        foreach (string older in segments[..^1])
            Shell.Run("chmod", "444", older).ExitCode.ShouldBe(0);
        string newest = segments[^1];
        Shell.Run("chmod", "600", newest).ExitCode.ShouldBe(0);
        ToolRun run = await ToolRun.RunAsync("log", "truncate", "--after", "1", Log);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        string made = Directory.GetFiles(Log, "*.slog").Order(StringComparer.Ordinal).Last();
        made.ShouldNotBe(newest);
        Shell.Run("stat", "-c", "%a", made).Output.Trim().ShouldBe("600");
    }
}
