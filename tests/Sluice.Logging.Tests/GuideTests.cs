using System.Text;
using Microsoft.Extensions.Logging;
using Serilog;
using ILogger = Microsoft.Extensions.Logging.ILogger;

namespace Sluice.Logging.Tests;

// Here "Log" alone would be the namespace Sluice.Log; in a program of one's own it is Serilog's class.
using Log = global::Serilog.Log;

/// <summary>The code that docs/guide.md shows of logs, word for word (a test of the tool's compares them), and what it does.</summary>
public sealed class GuideTests : IDisposable
{
    public GuideTests() => RemoveFolders();

    public void Dispose() => RemoveFolders();

    [Fact]
    public async Task A_log_has_what_was_appended()
    {
        byte[] record = "an order"u8.ToArray();
        {
            using SluiceLog log = SluiceLog.Open(
                "orders", new SluiceLogOptions { Durability = LogDurability.Written, SegmentBytes = 256 << 20 });
            long sequence = log.Append(record);
            await log.AppendAsync(record, LogDurability.Durable);
            sequence.ShouldBe(1);
            log.DurableSequence.ShouldBe(2);
        }

        using SluiceLogReader reader = new("orders");
        int records = 0;
        foreach (LogEntry entry in reader.Entries)
        {
            entry.Bytes.SequenceEqual(record).ShouldBeTrue();
            records++;
        }

        records.ShouldBe(2);
    }

    [Fact]
    public async Task Events_of_both_libraries_are_lines_of_their_files()
    {
        using (ILoggerFactory factory = LoggerFactory.Create(logging =>
        {
            var builder = new { Logging = logging };
            builder.Logging.AddSluice("logs");
            Log.Logger = new LoggerConfiguration().WriteTo.SluiceLog("logs").CreateLogger();
        }))
        {
            ILogger logger = factory.CreateLogger("guide");
            logger.LogInformation("one event");
            Log.Information("another event");
            await Log.CloseAndFlushAsync();
        }

        string[] lines = [.. Directory.GetFiles("logs").SelectMany(static path => File.ReadAllLines(path, Encoding.UTF8))];
        lines.Length.ShouldBe(2);
        lines.ShouldContain(static line => line.StartsWith('{') && line.Contains("one event", StringComparison.Ordinal));
        lines.ShouldContain(static line => line.EndsWith("another event", StringComparison.Ordinal));
    }

    /// <summary>The guide's names are relative: they lie beside the tests' assembly.</summary>
    private static void RemoveFolders()
    {
        foreach (string folder in (string[])["orders", "logs"])
        {
            if (Directory.Exists(folder))
            {
                Directory.Delete(folder, recursive: true);
            }
        }
    }
}
