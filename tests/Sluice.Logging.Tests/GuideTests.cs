using System.Text;
using Microsoft.Extensions.Logging;
using Serilog;
using Serilog.Core;
using Serilog.Formatting.Json;
using ILogger = Microsoft.Extensions.Logging.ILogger;

namespace Sluice.Logging.Tests;

// Within the namespace Sluice, "Log" alone would be the namespace Sluice.Log.
using Log = global::Serilog.Log;

/// <summary>Runs the code about logs in docs/guide.md. A test in Sluice.Cli.Tests compares the two texts.</summary>
public sealed class GuideTests : IDisposable
{
    public GuideTests() => RemoveFolders();

    public void Dispose() => RemoveFolders();

    [Fact]
    public async Task A_log_has_what_was_appended()
    {
        {
            byte[] record = "an order"u8.ToArray();
            using SluiceLog log = SluiceLog.Open(
                "orders", new SluiceLogOptions { Durability = LogDurability.Written, SegmentBytes = 256 << 20 });
            long sequence = log.Append(record);
            await log.AppendAsync(record, LogDurability.Durable);
            sequence.ShouldBe(1);
            log.DurableSequence.ShouldBe(2);
        }

        List<string> records = [];
        using SluiceLogReader reader = new("orders");
        foreach (LogEntry entry in reader.Entries)
        {
            records.Add($"{entry.Sequence}: {Encoding.UTF8.GetString(entry.Bytes)}");
        }

        records.ShouldBe(["1: an order", "2: an order"]);
    }

    [Fact]
    public async Task An_event_of_each_logger_is_a_line_of_its_file()
    {
        using (ILoggerFactory factory = LoggerFactory.Create(logging =>
        {
            var builder = new { Logging = logging };
            builder.Logging.AddSluice("logs");
            builder.Logging.AddSluice("days/app-.json", o => o.Log = new() { RetainSegments = 7 });
            Log.Logger = new LoggerConfiguration().WriteTo.SluiceLog("events").CreateLogger();
            using Logger audit = new LoggerConfiguration().AuditTo.SluiceLog(new JsonFormatter(), "audit").CreateLogger();
            audit.Information("an audited event");
        }))
        {
            ILogger logger = factory.CreateLogger("guide");
            logger.LogInformation("one event");
            Log.Information("another event");
            await Log.CloseAndFlushAsync();
        }

        Line("logs").ShouldStartWith("{");
        Line("logs").ShouldContain("one event");
        Line("days").ShouldContain("one event");
        Path.GetFileName(Directory.GetFiles("days").ShouldHaveSingleItem()).ShouldMatch("^app-20[0-9]{6}-0000000001\\.json$");
        Line("events").ShouldEndWith("another event");
        Line("audit").ShouldStartWith("{");
        Line("audit").ShouldContain("an audited event");
    }

    /// <summary>The only line of the files in a folder.</summary>
    private static string Line(string folder) =>
        Directory.GetFiles(folder).SelectMany(static path => File.ReadAllLines(path, Encoding.UTF8)).ShouldHaveSingleItem();

    /// <summary>The guide's paths are relative to the folder of the tests' assembly.</summary>
    private static void RemoveFolders()
    {
        foreach (string folder in (string[])["orders", "logs", "days", "events", "audit"])
        {
            if (Directory.Exists(folder))
            {
                Directory.Delete(folder, recursive: true);
            }
        }
    }
}
