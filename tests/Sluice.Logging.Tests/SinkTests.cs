using Microsoft.Extensions.Configuration;
using Serilog;
using Serilog.Core;
using Serilog.Events;
using Serilog.Formatting;
using Serilog.Formatting.Json;
using Sluice.Serilog;

namespace Sluice.Logging.Tests;

/// <summary>Serilog's events in a log.</summary>
public sealed class SinkTests
{
    [Fact]
    public void An_event_is_text_by_the_template()
    {
        using TempFolder folder = new();
        using (Logger logger = new LoggerConfiguration().WriteTo
            .SluiceLog(folder.Log, outputTemplate: "[{Level:u3}] {Message:lj}{NewLine}{Exception}").CreateLogger())
        {
            logger.Information("{User} came", "Zoë");
            logger.Warning(new InvalidOperationException("no way"), "two");
        }

        string[] lines = folder.Lines();
        lines[0].ShouldBe("[INF] Zoë came");
        lines[1].ShouldBe("[WRN] two");
        lines[2].ShouldBe("System.InvalidOperationException: no way");
    }

    [Fact]
    public async Task Many_threads_events_are_whole_and_in_their_threads_order()
    {
        using TempFolder folder = new();
        await using (Logger logger = new LoggerConfiguration().WriteTo.SluiceLog(new JsonFormatter(), folder.Log).CreateLogger())
        {
            await Task.WhenAll(Enumerable.Range(0, 8).Select(thread => Task.Run(() =>
            {
                for (int i = 0; i < 2000; i++)
                {
                    logger.Information("{Thread} {Number} {Filler}", thread, i, new string('x', i % 300));
                }
            })));
        }

        (int Thread, int Number)[] events =
        [
            .. folder.Events().Select(static e => e.GetProperty("Properties"))
                .Select(static p => (p.GetProperty("Thread").GetInt32(), p.GetProperty("Number").GetInt32())),
        ];
        events.Length.ShouldBe(16_000);
        for (int thread = 0; thread < 8; thread++)
        {
            events.Where(e => e.Thread == thread).Select(static e => e.Number).ShouldBe(Enumerable.Range(0, 2000));
        }
    }

    [Fact]
    public void In_a_framed_log_an_event_is_a_record_without_line_end()
    {
        using TempFolder folder = new();
        using (SluiceLog log = SluiceLog.Open(folder.Log))
        {
            using (Logger logger = new LoggerConfiguration().WriteTo.Sink(new SluiceLogSink(log, new JsonFormatter())).CreateLogger())
            {
                logger.Information("one");
            }

            log.Append("two"u8);
        }

        string[] records = folder.Records();
        TempFolder.Parse(records[0]).GetProperty("MessageTemplate").GetString().ShouldBe("one");
        records[0].ShouldNotContain("\n");
        records[1].ShouldBe("two");
    }

    [Fact]
    public void Levels_decide_what_comes_and_what_is_written_at_once()
    {
        using TempFolder folder = new();
        LoggingLevelSwitch level = new(LogEventLevel.Warning);
        using Logger logger = new LoggerConfiguration().WriteTo.SluiceLog(
            folder.Log,
            outputTemplate: "{Message:lj}{NewLine}",
            options: new SluiceTextLogOptions
            {
                FlushInterval = TimeSpan.FromHours(1),
            },
            levelSwitch: level).CreateLogger();
        logger.Information("not this");
        level.MinimumLevel = LogEventLevel.Information;
        logger.Information("this");
        folder.Lines().ShouldBeEmpty();
        logger.Error("now");
        folder.Lines().ShouldBe(["this", "now"]);
    }

    [Fact]
    public void Options_change_nothing_but_what_they_set()
    {
        using TempFolder folder = new();
        string path = Path.Combine(folder.Log, "app.txt");
        using (Logger logger = new LoggerConfiguration().WriteTo.SluiceLog(
            path, outputTemplate: "{Message:lj}{NewLine}", options: new() { SegmentBytes = 4096 }).CreateLogger())
        {
            for (int i = 0; i < 40; i++)
            {
                logger.Error("{Text}", new string((char)('a' + (i % 26)), 4095));
            }
        }

        string[] files = [.. Directory.GetFiles(folder.Log, "*.txt").Order(StringComparer.Ordinal)];
        files.Length.ShouldBe(31);
        Path.GetFileName(files[0]).ShouldMatch("^app20[0-9]{6}-[0-9]{10}\\.txt$");
        files.SelectMany(File.ReadAllLines).ShouldAllBe(static line => line.Length == 4095);

        string audit = Path.Combine(folder.Log, "audit");
        using Logger audited = new LoggerConfiguration().AuditTo.SluiceLog(
            new JsonFormatter(), audit, new() { SegmentBytes = 4096 }).CreateLogger();
        audited.Information("one");
        File.ReadAllLines(Directory.GetFiles(audit).ShouldHaveSingleItem()).ShouldHaveSingleItem().ShouldStartWith("{");
    }

    [Fact]
    public void The_configuration_sets_path_and_options()
    {
        using TempFolder folder = new();
        IConfiguration configuration = new ConfigurationBuilder().AddInMemoryCollection(new Dictionary<string, string?>
        {
            ["Serilog:WriteTo:0:Name"] = "SluiceLog",
            ["Serilog:WriteTo:0:Args:path"] = Path.Combine(folder.Log, "app-.txt"),
            ["Serilog:WriteTo:0:Args:options:SegmentBytes"] = "4096",
            ["Serilog:WriteTo:0:Args:options:RetainSegments"] = "2",
        }).Build();
        using (Logger logger = new LoggerConfiguration().ReadFrom.Configuration(configuration).CreateLogger())
        {
            for (int i = 0; i < 10; i++)
            {
                logger.Error("{Text}", new string('a', 4095));
            }
        }

        string[] files = Directory.GetFiles(folder.Log);
        files.Length.ShouldBe(2);
        files.ShouldAllBe(static f => Path.GetFileName(f).StartsWith("app-20"));
        files.SelectMany(File.ReadAllLines).ShouldAllBe(static line => line.Contains("aaa"));
    }

    /// <summary>A digit cannot be next to the date in a name.</summary>
    [Theory]
    [InlineData("app2.txt", "^app2-20[0-9]{6}-[0-9]{10}\\.txt$")]
    [InlineData("app-.log", "^app-20[0-9]{6}-[0-9]{10}\\.log$")]
    [InlineData(".json", "^20[0-9]{6}-[0-9]{10}\\.json$")]
    public void The_name_of_the_files_may_end_in_anything(string name, string expected)
    {
        using TempFolder folder = new();
        using (Logger logger = new LoggerConfiguration().WriteTo.SluiceLog(
            Path.Combine(folder.Log, name), outputTemplate: "{Message:lj}{NewLine}").CreateLogger())
        {
            logger.Information("one");
        }

        string file = Directory.GetFiles(folder.Log).ShouldHaveSingleItem();
        Path.GetFileName(file).ShouldMatch(expected);
        File.ReadAllText(file).ShouldBe("one\n");
    }

    [Theory]
    [InlineData(LogEventLevel.Information)]
    [InlineData(LogEventLevel.Error)]
    public void Events_of_every_level_are_durable_in_a_log_whose_appends_are(LogEventLevel level)
    {
        using TempFolder folder = new();
        using SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Durability = LogDurability.Durable });
        using Logger logger = new LoggerConfiguration().WriteTo
            .Sink(new SluiceLogSink(log, new JsonFormatter(), flushOn: LogEventLevel.Error)).CreateLogger();
        for (int i = 1; i <= 3; i++)
        {
            logger.Write(level, "one");
            (log.NextSequence, log.DurableSequence).ShouldBe((i + 1, i));
        }
    }

    /// <summary>The sink continues in a new log by itself; no event is lost, and that of the failure may be there twice.</summary>
    [Theory]
    [InlineData(LogFormat.Raw)]
    [InlineData(LogFormat.Framed)]
    public void After_a_failed_flush_the_log_is_opened_again(LogFormat format)
    {
        using TempFolder folder = new();
        BrokenDisk disk = new();
        using (Logger logger = new LoggerConfiguration().WriteTo.SluiceLog(
            folder.Log, "{Message:lj}{NewLine}", options: new() { Format = format, Durability = LogDurability.Durable, Engine = disk }).CreateLogger())
        {
            logger.Information("one");
            disk.FailFlushes(1);
            logger.Information("two");
            logger.Information("three");
        }

        string[] lines = format == LogFormat.Raw ? folder.Lines() : folder.Records();
        lines.Distinct().ShouldBe(["one", "two", "three"]);
    }

    [Fact]
    public void An_audit_event_is_durable_when_the_call_returns_or_the_call_throws()
    {
        using TempFolder folder = new();
        BrokenDisk disk = new();
        using Logger logger = new LoggerConfiguration().AuditTo.SluiceLog(
            new JsonFormatter(), folder.Log, new SluiceAuditLogOptions { Format = LogFormat.Framed, Engine = disk }).CreateLogger();
        logger.Information("one");
        folder.Records().Length.ShouldBe(1);
        disk.IsFull = true;
        AggregateException error = Should.Throw<AggregateException>(() => logger.Information("two"));
        error.InnerExceptions.ShouldHaveSingleItem().ShouldBeAssignableTo<IOException>()!.Message.ShouldContain(folder.Log);
        disk.IsFull = false;
        logger.Information("three");
        folder.Records().Select(static r => TempFolder.Parse(r).GetProperty("MessageTemplate").GetString()).ShouldBe(["one", "three"]);
    }

    [Fact]
    public async Task A_closed_sink_says_so_and_leaves_the_log_as_it_was_told_to()
    {
        using TempFolder folder = new();
        using SluiceLog log = SluiceLog.Open(folder.Log);
        SluiceLogSink sink = new(log, new JsonFormatter());
        Logger logger = new LoggerConfiguration().AuditTo.Sink(sink).CreateLogger();
        logger.Information("one");
        await sink.DisposeAsync();
        sink.Dispose();
        Should.Throw<AggregateException>(() => logger.Information("two"))
            .InnerExceptions.ShouldHaveSingleItem().ShouldBeOfType<ObjectDisposedException>();
        log.Append("three"u8);
        SluiceLogSink owner = new(log, new JsonFormatter(), leaveOpen: false);
        owner.Dispose();
        Should.Throw<ObjectDisposedException>(() => log.Append("four"u8));
        new SluiceLogSink(log, new JsonFormatter()).Dispose();
    }

    [Fact]
    public void A_formatter_that_throws_or_logs_itself_leaves_the_others_lines_whole()
    {
        using TempFolder folder = new();
        using SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Format = LogFormat.Raw });
        Nested formatter = new();
        using (Logger logger = new LoggerConfiguration().AuditTo.Sink(new SluiceLogSink(log, formatter)).CreateLogger())
        {
            formatter.Logger = logger;
            Should.Throw<AggregateException>(() => logger.Information("throw"));
            logger.Information("nest");
            logger.Information("plain");
        }

        folder.Lines().ShouldBe(["inner", "nest", "plain"]);
    }

    [Fact]
    public void A_line_end_that_a_formatter_sets_is_its_own_alone()
    {
        using TempFolder folder = new();
        using SluiceLog log = SluiceLog.Open(folder.Log);
        using (Logger logger = new LoggerConfiguration()
            .WriteTo.Sink(new SluiceLogSink(log, new TwoLines("\r\n")))
            .WriteTo.Sink(new SluiceLogSink(log, new TwoLines(null)))
            .CreateLogger())
        {
            logger.Information("one");
        }

        folder.Records().ShouldBe(["one\r\nand more", "one\nand more"]);
    }

    private sealed class TwoLines(string? newLine) : ITextFormatter
    {
        public void Format(LogEvent logEvent, TextWriter output)
        {
            if (newLine is not null)
            {
                output.NewLine = newLine;
            }

            output.WriteLine(logEvent.MessageTemplate.Text);
            output.WriteLine("and more");
        }
    }

    private sealed class Nested : ITextFormatter
    {
        public ILogger? Logger { get; set; }

        public void Format(LogEvent logEvent, TextWriter output)
        {
            output.Write(logEvent.MessageTemplate.Text);
            switch (logEvent.MessageTemplate.Text)
            {
                case "throw":
                    throw new FormatException();
                case "nest":
                    Logger!.Information("inner");
                    break;
            }

            output.WriteLine();
        }
    }
}
