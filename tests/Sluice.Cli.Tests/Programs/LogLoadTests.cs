using Shouldly;
using Sluice.Cli.Programs.Log;
using Xunit;

namespace Sluice.Cli.Tests.Programs;

/// <summary>What the load says of a log that lost, doubled or changed records, which the log itself never does.</summary>
public sealed class LogLoadTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("sluice-log-load-").FullName;
    private readonly LogLoad _load = new() { Threads = 2, RecordBytes = 32 };

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("0.0 1.0 0.1 0.2 1.1", 0, 0)]
    [InlineData("0.0 1.0 0.2 1.1", 1, 0)]
    [InlineData("0.0 0.1 1.0 0.1 0.2 1.1", 0, 1)]
    [InlineData("0.1 0.0 0.2 1.0 1.1", 1, 1)]
    [InlineData("0.0 0.1 1.0 1.1 2.0 0.2", 0, 1)]
    [InlineData("0.0 0.1! 1.0 1.1 0.2", 1, 1)]
    [InlineData("0.0 0.1 1.0 1.1 0.2 0.7", 0, 1)]
    [InlineData("", 5, 0)]
    [InlineData("0.0 1.0 0.1 0.2 1.1 0.3", 0, 0)]
    public void It_is_counted_what_is_missing_and_what_is_not_as_it_was_appended(string records, long missing, long unexpected)
    {
        string[] all = records.Split(' ', StringSplitOptions.RemoveEmptyEntries);
        using (SluiceLog log = SluiceLog.Open(_folder))
        {
            byte[] record = new byte[_load.RecordBytes];
            foreach (string one in all)
            {
                LogLoad.Fill(record, one[0] - '0', one[2] - '0');
                if (one.EndsWith('!'))
                    record[^1]++;
                log.Append(record);
            }
        }

        // The last row: of 0.3 nobody was told that it was there, as of what is appended when the load is interrupted.
        _load.Check(_folder, [3, 2]).ShouldBe((all.Length, missing, unexpected));
    }
}
