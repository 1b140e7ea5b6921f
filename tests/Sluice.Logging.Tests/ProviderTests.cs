using System.Text.Json;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging;
using Sluice.Extensions.Logging;

namespace Sluice.Logging.Tests;

/// <summary>Events of Microsoft.Extensions.Logging in a log.</summary>
public sealed partial class ProviderTests
{
    [Fact]
    public void An_event_is_a_line_with_its_parts()
    {
        using TempFolder folder = new();
        DateTimeOffset now = new(2026, 11, 22, 9, 30, 0, 125, TimeSpan.Zero);
        using (ILoggerFactory factory = Factory(folder, new SluiceLoggerOptions { TimeProvider = new Clock(now) }))
        {
            ILogger logger = factory.CreateLogger("Shop.Orders");
            logger.LogInformation("started");
            logger.Log(LogLevel.Warning, new EventId(7, "Slow"), "{User} waited {Milliseconds} ms", "Zoë", 31.5);
            logger.LogError(new InvalidOperationException("no\nway"), "failed");
        }

        JsonElement[] events = folder.Events();
        events.Length.ShouldBe(3);
        events[0].ToString().ShouldBe("""{"@t":"2026-11-22T09:30:00.125Z","SourceContext":"Shop.Orders","@m":"started"}""");
        events[1].GetProperty("@l").GetString().ShouldBe("Warning");
        events[1].GetProperty("@i").GetInt32().ShouldBe(7);
        events[1].GetProperty("EventName").GetString().ShouldBe("Slow");
        events[1].GetProperty("@m").GetString().ShouldBe("Zoë waited 31.5 ms");
        events[1].GetProperty("@mt").GetString().ShouldBe("{User} waited {Milliseconds} ms");
        events[1].GetProperty("User").GetString().ShouldBe("Zoë");
        events[1].GetProperty("Milliseconds").GetDouble().ShouldBe(31.5);
        events[2].GetProperty("@x").GetString()!.ShouldStartWith("System.InvalidOperationException: no\nway");
        folder.Lines()[1].ShouldContain("Zoë");
    }

    [Fact]
    public void Values_of_every_kind_are_JSON_that_can_be_read()
    {
        using TempFolder folder = new();
        object?[] values =
        [
            null, true, 'c', (byte)1, (sbyte)-1, (short)-2, (ushort)2, 3, 4u, -5L, 6UL, 7.5f, 8.25, 9.75m,
            double.NaN, float.PositiveInfinity,
            new DateTime(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc), new DateTimeOffset(2026, 1, 2, 3, 4, 5, TimeSpan.FromHours(1)),
            TimeSpan.FromSeconds(1.5), Guid.Empty, DayOfWeek.Friday, new Uri("http://a/b"), new[] { 1, 2 },
            new object?[] { "a", null, new[] { 3 } },
            "quote \" backslash \\ line\nend \u0001 \u2028", "half \ud800 a pair", Endless(), Broken(), new Unspeakable(), new Endless2(),
            new Silent(),
        ];
        using (ILoggerFactory factory = Factory(folder))
        {
            ILogger logger = factory.CreateLogger("values");
            foreach (object? value in values)
            {
                // By the state alone: a formatter would ask for the text of the value, and may throw what that throws.
                logger.Log(
                    LogLevel.Information, default, (KeyValuePair<string, object?>[])[new("Value", value), new("@own", 1), new("@@two", 2), new("@two", 3)],
                    null, static (_, _) => "m");
            }
        }

        JsonElement[] events = folder.Events();
        events.Length.ShouldBe(values.Length);
        events.ShouldAllBe(e => e.GetProperty("@@own").GetInt32() == 1 && e.GetProperty("@@@two").GetInt32() == 2
            && e.GetProperty("@@two").GetInt32() == 3);
        string[] texts = [.. events.Select(e => e.GetProperty("Value").GetRawText())];
        texts[..16].ShouldBe(
            ["null", "true", "\"c\"", "1", "-1", "-2", "2", "3", "4", "-5", "6", "7.5", "8.25", "9.75", "\"NaN\"", "\"Infinity\""]);
        texts[16..24].ShouldBe(
            [
                "\"2026-01-02T03:04:05Z\"", "\"2026-01-02T03:04:05+01:00\"", "\"00:00:01.5000000\"", $"\"{Guid.Empty}\"", "\"Friday\"",
                "\"http://a/b\"", "[1,2]", "[\"a\",null,[3]]",
            ]);
        events[24].GetProperty("Value").GetString().ShouldBe("quote \" backslash \\ line\nend \u0001 \u2028");
        events[25].GetProperty("Value").GetString().ShouldBe("half \ufffd a pair");
        events[26].GetProperty("Value").GetArrayLength().ShouldBe(1001);
        texts[27].ShouldBe("[1,\"(threw FormatException)\"]");
        texts[28].ShouldBe("\"(threw NotSupportedException)\"");
        texts[29].ShouldStartWith("[[[[");
        texts[30].ShouldBe("\"\"");
    }

    [Fact]
    public void A_provider_without_a_factory_has_scopes_too_and_options_leave_them_out()
    {
        using TempFolder folder = new();
        using (SluiceLoggerProvider provider = new(folder.Log, new SluiceLoggerOptions { IncludeScopes = false, IncludeTemplate = false }))
        {
            using (provider.CreateLogger("a").BeginScope("Request {Id}", 12))
            {
                provider.CreateLogger("a").LogInformation("{Number}", 5);
            }
        }

        using (SluiceLoggerProvider provider = new(folder.Log))
        using (provider.CreateLogger("a").BeginScope("Request {Id}", 12))
        {
            provider.CreateLogger("a").LogInformation("{Number}", 5);
        }

        JsonElement[] events = folder.Events();
        events[0].TryGetProperty("Id", out _).ShouldBeFalse();
        events[0].TryGetProperty("@mt", out _).ShouldBeFalse();
        events[1].GetProperty("Id").GetInt32().ShouldBe(12);
        events[1].GetProperty("@mt").GetString().ShouldBe("{Number}");
    }

    [Fact]
    public void The_section_of_the_configuration_sets_path_and_options_and_a_delegate_changes_them()
    {
        using TempFolder folder = new();
        IConfiguration configuration = new ConfigurationBuilder().AddInMemoryCollection(new Dictionary<string, string?>
        {
            ["Sluice:Path"] = Path.Combine(folder.Log, "app-.json"),
            ["Sluice:FlushOn"] = "Warning",
            ["Sluice:IncludeTemplate"] = "false",
            ["Sluice:IncludeScopes"] = "true",
            ["Sluice:Log:RetainSegments"] = "7",
            ["Sluice:Log:SegmentBytes"] = "8192",
            ["Sluice:Log:RetainAge"] = "30.00:00:00",
            ["Sluice:Log:Durability"] = "Durable",
            ["Sluice:Log:UnixCreateMode"] = "UserRead, UserWrite",
            ["Sluice:LogLevel:Default"] = "Debug",
        }).Build();
        SluiceLoggerOptions? read = null;
        using (ILoggerFactory factory = LoggerFactory.Create(b => b.AddConfiguration(configuration).AddSluice(o =>
        {
            read = o;
            o.IncludeScopes = false;
        })))
        {
            factory.CreateLogger("Any").LogDebug("number {Number}", 1);
            factory.CreateLogger("Any").LogTrace("not this");
        }

        read.ShouldNotBeNull().FlushOn.ShouldBe(LogLevel.Warning);
        read.Log.RetainSegments.ShouldBe(7);
        read.Log.SegmentBytes.ShouldBe(8192);
        read.Log.RetainAge.ShouldBe(TimeSpan.FromDays(30));
        read.Log.Durability.ShouldBe(LogDurability.Durable);
        read.Log.UnixCreateMode.ShouldBe(UnixFileMode.UserRead | UnixFileMode.UserWrite);

        // Options that the section does not name keep the defaults of text.
        read.Log.Format.ShouldBe(LogFormat.Raw);
        read.Log.DisposeOnProcessExit.ShouldBeTrue();
        string file = Directory.GetFiles(folder.Log).ShouldHaveSingleItem();
        Path.GetFileName(file).ShouldMatch(@"^app-\d{8}-0000000001\.json$");
        string line = File.ReadAllLines(file).ShouldHaveSingleItem();
        line.ShouldContain("number 1");
        line.ShouldNotContain("@mt");
    }

    [Theory]
    [InlineData("RetainSegments", "many")]
    [InlineData("RetainSegments", "0")]
    public void A_wrong_value_of_the_configuration_fails_when_the_provider_is_created(string key, string value)
    {
        using TempFolder folder = new();
        IConfiguration configuration = new ConfigurationBuilder().AddInMemoryCollection(new Dictionary<string, string?>
        {
            ["Sluice:Path"] = folder.Log,
            ["Sluice:Log:" + key] = value,
        }).Build();
        Exception error = Should.Throw<Exception>(
            () => LoggerFactory.Create(b => b.AddConfiguration(configuration).AddSluice()).Dispose());
        error.Message.ShouldContain(key);
        Directory.Exists(folder.Log).ShouldBeFalse();
    }

    [Fact]
    public void Without_a_path_the_error_names_the_section()
    {
        Should.Throw<ArgumentException>(() => LoggerFactory.Create(static b => b.AddSluice()).Dispose())
            .Message.ShouldContain("\"Logging:Sluice\"");
    }

    [Fact]
    public void Filters_find_the_provider_by_type_and_levels_below_write_nothing()
    {
        using TempFolder folder = new();
        using (ILoggerFactory factory = LoggerFactory.Create(b => b
            .AddSluice(folder.Log)
            .SetMinimumLevel(LogLevel.Trace)
            .AddFilter<SluiceLoggerProvider>("Quiet", LogLevel.Error)))
        {
            factory.CreateLogger("Quiet.Part").LogWarning("not this");
            factory.CreateLogger("Quiet.Part").LogError("this");
            factory.CreateLogger("Loud").LogTrace("and this");
            factory.CreateLogger("Loud").Log(LogLevel.None, "none");
            factory.CreateLogger("Loud").IsEnabled(LogLevel.None).ShouldBeFalse();
        }

        folder.Events().Select(static e => e.GetProperty("@m").GetString()).ShouldBe(["this", "and this"]);
    }

    [Fact]
    public async Task Many_threads_events_are_whole_and_in_their_threads_order()
    {
        using TempFolder folder = new();
        using (ILoggerFactory factory = Factory(folder))
        {
            await Task.WhenAll(Enumerable.Range(0, 8).Select(thread => Task.Run(() =>
            {
                ILogger logger = factory.CreateLogger("thread" + thread);
                for (int i = 0; i < 2000; i++)
                {
                    logger.LogInformation("{Thread} {Number} {Filler}", thread, i, new string('x', i % 300));
                }
            })));
        }

        JsonElement[] events = folder.Events();
        events.Length.ShouldBe(16_000);
        foreach (IGrouping<int, JsonElement> thread in events.GroupBy(static e => e.GetProperty("Thread").GetInt32()))
        {
            thread.Select(static e => e.GetProperty("Number").GetInt32()).ShouldBe(Enumerable.Range(0, 2000));
        }
    }

    [Fact]
    public void In_a_framed_log_an_event_is_a_record_without_line_end()
    {
        using TempFolder folder = new();
        using (SluiceLog log = SluiceLog.Open(folder.Log))
        {
            using (ILoggerFactory factory = LoggerFactory.Create(b => b.AddSluice(log)))
            {
                factory.CreateLogger("a").LogInformation("one");
            }

            // The factory's end left it open.
            log.Append("two"u8);
        }

        string[] records = folder.Records();
        TempFolder.Parse(records[0]).GetProperty("@m").GetString().ShouldBe("one");
        records[0].ShouldNotContain("\n");
        records[1].ShouldBe("two");
    }

    [Fact]
    public void An_important_event_is_with_the_operating_system_when_the_call_returns()
    {
        using TempFolder folder = new();
        using SluiceLoggerProvider provider = new(folder.Log, new SluiceLoggerOptions
        {
            Log = new() { FlushInterval = TimeSpan.FromHours(1) },
        });
        ILogger logger = provider.CreateLogger("a");
        logger.LogWarning("before");
        provider.Log.WrittenSequence.ShouldBe(0);
        logger.LogError("now");
        folder.Events().Select(static e => e.GetProperty("@m").GetString()).ShouldBe(["before", "now"]);
    }

    [Theory]
    [InlineData(LogLevel.Information)]
    [InlineData(LogLevel.Error)]
    public void Events_of_every_level_are_durable_in_a_log_whose_appends_are(LogLevel level)
    {
        using TempFolder folder = new();
        SluiceLoggerOptions options = new() { Log = new() { Format = LogFormat.Framed, Durability = LogDurability.Durable } };
        using SluiceLoggerProvider provider = new(folder.Log, options);
        ILogger logger = provider.CreateLogger("a");
        for (int i = 1; i <= 3; i++)
        {
            logger.Log(level, "one");
            (provider.Log.NextSequence, provider.Log.DurableSequence).ShouldBe((i + 1, i));
        }
    }

    [Fact]
    public async Task What_comes_after_the_end_is_counted_and_does_not_throw()
    {
        using TempFolder folder = new();
        List<Exception> errors = [];
        SluiceLoggerProvider provider = new(folder.Log, new SluiceLoggerOptions { OnError = errors.Add });
        ILogger logger = provider.CreateLogger("a");
        logger.LogInformation("one");
        await provider.DisposeAsync();
        provider.Dispose();
        logger.LogInformation("two");
        provider.LostEvents.ShouldBe(1);
        errors.ShouldHaveSingleItem().ShouldBeOfType<ObjectDisposedException>();
        folder.Events().Length.ShouldBe(1);
    }

    [Fact]
    public void A_full_disk_loses_no_event_that_the_log_has_taken_and_each_error_is_told_once()
    {
        using TempFolder folder = new();
        List<Exception> errors = [];
        BrokenDisk disk = new();
        using (SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions
        {
            Durability = LogDurability.Buffered,
            Engine = disk,
            FlushInterval = TimeSpan.FromHours(1),
        }))
        using (SluiceLoggerProvider provider = new(log, new SluiceLoggerOptions { OnError = errors.Add }))
        {
            ILogger logger = provider.CreateLogger("a");
            logger.LogInformation("kept");
            disk.IsFull = true;
            logger.LogError("late");
            provider.LostEvents.ShouldBe(0);
            provider.LastError.ShouldBe(errors.ShouldHaveSingleItem());
            errors[0].ShouldBeAssignableTo<IOException>()!.Message.ShouldContain(folder.Log);
            disk.IsFull = false;
            logger.LogError("again");
        }

        folder.Records().Select(static r => TempFolder.Parse(r).GetProperty("@m").GetString()).ShouldBe(["kept", "late", "again"]);
    }

    [Fact]
    public void Events_that_cannot_be_written_at_the_close_are_counted_once()
    {
        using TempFolder folder = new();
        List<Exception> errors = [];
        BrokenDisk disk = new();
        SluiceLoggerProvider provider = new(folder.Log, OnDisk(disk, errors));
        ILogger logger = provider.CreateLogger("a");
        disk.IsFull = true;
        for (int i = 0; i < 5; i++)
        {
            logger.LogInformation("buffered");
        }

        logger.LogError("told");
        provider.LostEvents.ShouldBe(0);
        IOException error = Should.Throw<IOException>(provider.Dispose);
        provider.LastError.ShouldBe(error);
        errors.ShouldHaveSingleItem("the one of the event that was to be written at once");
        provider.LostEvents.ShouldBe(6);
    }

    /// <summary>The provider continues in a new log by itself.</summary>
    [Theory]
    [InlineData(LogFormat.Raw)]
    [InlineData(LogFormat.Framed)]
    public void After_a_failed_flush_the_log_is_opened_again(LogFormat format)
    {
        using TempFolder folder = new();
        BrokenDisk disk = new();
        using (SluiceLoggerProvider provider = new(folder.Log, new SluiceLoggerOptions
        {
            Log = new() { Format = format, Durability = LogDurability.Durable, Engine = disk },
        }))
        {
            ILogger logger = provider.CreateLogger("a");
            logger.LogInformation("one");
            SluiceLog before = provider.Log;
            disk.FailFlushes(1);
            logger.LogInformation("two");
            provider.Log.ShouldNotBeSameAs(before);
            before.Failure.ShouldNotBeNull();
            logger.LogInformation("three");
            provider.LostEvents.ShouldBe(0);
            provider.Log.DurableSequence.ShouldBeGreaterThan(0);
        }

        string?[] messages = format == LogFormat.Raw ? [.. folder.Events().Select(static e => e.GetProperty("@m").GetString())]
            : [.. folder.Records().Select(static r => TempFolder.Parse(r).GetProperty("@m").GetString())];

        // The one that met the failure is in both logs.
        messages.Distinct().ShouldBe(["one", "two", "three"]);
    }

    /// <summary>The keeper's flush of a full file fails while events are appended: each is in a file, or is counted.</summary>
    [Fact]
    public void What_a_failed_flush_has_lost_is_counted_exactly_and_told()
    {
        using TempFolder folder = new();
        BrokenDisk disk = new();
        List<Exception> errors = [];
        SluiceLoggerProvider provider = new(folder.Log, new SluiceLoggerOptions
        {
            Log = new() { SegmentBytes = 4096, MaxRecordBytes = 1000, RetainSegments = null, Engine = disk },
            FlushOn = LogLevel.Error,
            OnError = errors.Add,
        });
        ILogger logger = provider.CreateLogger("a");
        const int Events = 3000;
        for (int i = 0; i < Events; i++)
        {
            if (i == Events / 3)
            {
                disk.FailFlushes(1);
            }

            logger.Log(i % 100 == 99 ? LogLevel.Error : LogLevel.Information, "event {Number}", i);
        }

        provider.Dispose();
        provider.LastError.ShouldBe(errors.LastOrDefault());
        (errors.Count > 0).ShouldBe(provider.LostEvents > 0);
        string[] numbers = [.. folder.Events().Select(static e => e.GetProperty("Number").GetRawText())];
        numbers.Distinct().Count().ShouldBe(Events - (int)provider.LostEvents);
    }

    /// <summary>The log is being replaced when the provider is disposed.</summary>
    [Fact]
    public void A_provider_that_is_disposed_while_it_opens_its_log_again_leaves_no_log_open()
    {
        using TempFolder folder = new();
        SluiceLoggerProvider? provider = null;
        DisposingDisk disk = new(() => provider!.Dispose());
        provider = new SluiceLoggerProvider(folder.Log, new SluiceLoggerOptions
        {
            Log = new() { Format = LogFormat.Framed, Durability = LogDurability.Durable, Engine = disk },
        });
        ILogger logger = provider.CreateLogger("a");
        logger.LogInformation("one");
        disk.Begin();
        logger.LogInformation("two");
        disk.HasDisposed.ShouldBeTrue();
        SluiceLog.Open(folder.Log).Dispose();
    }

    /// <summary>Names that repeat, texts that are no Unicode, values that throw, and events that are longer than a record.</summary>
    [Theory]
    [InlineData(1_044_480)]
    [InlineData(2000)]
    [InlineData(700)]
    public void Any_event_is_one_line_of_strict_JSON(int maxRecordBytes)
    {
        const int count = 2000;
        Random random = new(maxRecordBytes);
        string[] names =
        [
            "@t", "@m", "@", "", "a", "b", "SourceContext", "EventName", "Scope", "@error", "{OriginalFormat}", "\ud800", "x\"y",
            "CutFromBytes", "\n",
        ];
        object?[] values =
        [
            null, 1, -1L, 1.5, double.NaN, "text", "\ud83d", "a\u2028b\r\n\t\0", '\ud800', new object?[] { null, "\udc00", new[] { "x" } },
            new Dictionary<string, object?> { ["k"] = 1 }, DateTime.MaxValue, DateTimeOffset.MinValue, TimeSpan.MaxValue, 1.0m, Broken(),
            new Unspeakable(), new Endless2(), Enumerable.Range(0, 3000), new byte[2000], (Half)1, new Version(1, 2),
        ];
        using TempFolder folder = new();
        using (SluiceLoggerProvider provider = new(
            folder.Log, new SluiceLoggerOptions { Log = new() { MaxRecordBytes = maxRecordBytes, RetainSegments = null } }))
        {
            ILogger logger = provider.CreateLogger(maxRecordBytes == 700 ? new string('\ud800', 500) : "c\ud83d\ude00");
            for (int i = 0; i < count; i++)
            {
                KeyValuePair<string, object?>[] state = [.. Enumerable.Range(0, random.Next(6)).Select(_ => Any())];
                using IDisposable? scope = random.Next(3) == 0 ? logger.BeginScope(new Dictionary<string, object?>([Any()])) : null;
                using IDisposable? plain = random.Next(3) == 0 ? logger.BeginScope(Any().Value ?? "nothing") : null;
                string message = Text(3000);
                logger.Log(
                    LogLevel.Warning, new EventId(i, random.Next(3) == 0 ? Text(900) : null), state,
                    random.Next(4) == 0 ? new InvalidOperationException(Text(900)) : null, (_, _) => message);
            }

            provider.LostEvents.ShouldBe(0, $"{provider.LastError}");
        }

        string[] lines = folder.Lines();
        lines.Length.ShouldBe(count);
        foreach (string line in lines)
        {
            using JsonDocument json = JsonDocument.Parse(line, new JsonDocumentOptions { AllowDuplicateProperties = false });
            json.RootElement.GetProperty("@t").GetDateTime().Kind.ShouldBe(DateTimeKind.Utc);
            json.RootElement.GetProperty("@m").GetString().ShouldNotBeNull();
            System.Text.Encoding.UTF8.GetByteCount(line).ShouldBeLessThan(maxRecordBytes);
        }

        KeyValuePair<string, object?> Any() => new(names[random.Next(names.Length)], values[random.Next(values.Length)]);
        string Text(int most) => new string(random.Next(2) == 0 ? '\ud83d' : 'x', random.Next(3) == 0 ? random.Next(most) : 3) + "\ud83d\ude00";
    }

    [Fact]
    public void Events_of_a_log_that_cannot_be_opened_again_are_counted()
    {
        using TempFolder folder = new();
        BrokenDisk disk = new();
        SluiceLoggerProvider provider = new(folder.Log, new SluiceLoggerOptions
        {
            Log = new() { Format = LogFormat.Framed, Durability = LogDurability.Durable, Engine = disk },
        });
        ILogger logger = provider.CreateLogger("a");
        logger.LogInformation("one");
        disk.FailFlushes(int.MaxValue);
        logger.LogInformation("two");
        logger.LogInformation("three");

        // The second is in the file, though not durable; the log takes no third one.
        provider.LostEvents.ShouldBe(1);
        disk.FailFlushes(0);
        _ = Record.Exception(provider.Dispose);
        folder.Records().ShouldNotBeEmpty();
    }

    [Fact]
    public void A_full_buffer_that_may_not_wait_loses_events_and_counts_them()
    {
        using TempFolder folder = new();
        BrokenDisk disk = new() { IsFull = false };
        SluiceLoggerProvider provider = new(folder.Log, new SluiceLoggerOptions
        {
            Log = new()
            {
                Format = LogFormat.Framed,
                Durability = LogDurability.Buffered,
                Engine = disk,
                BufferBytes = 8192,
                MaxRecordBytes = 2000,
                WaitWhenFull = false,
            },
        });
        disk.IsFull = true;
        ILogger logger = provider.CreateLogger("a");
        for (int i = 0; i < 1000; i++)
        {
            logger.LogInformation("{Number}", i);
        }

        provider.LostEvents.ShouldBeInRange(1, 999);
        disk.IsFull = false;
        long lost = provider.LostEvents;
        provider.Dispose();
        folder.Records().Length.ShouldBe(1000 - (int)lost);
    }

    [Theory]
    [InlineData(5000, 0, 10)]
    [InlineData(0, 5000, 10)]
    [InlineData(5000, 5000, 5000)]
    [InlineData(10, 10, 5000)]
    public void An_event_whose_names_are_too_long_for_the_log_comes_cut(int category, int name, int message)
    {
        using TempFolder folder = new();
        using (SluiceLoggerProvider provider = new(folder.Log, new SluiceLoggerOptions
        {
            Log = new() { Format = LogFormat.Raw, MaxRecordBytes = 1000 },
        }))
        {
            ILogger logger = provider.CreateLogger(new string('\u0001', category));
            EventId id = new(int.MinValue, new string('\u0002', name));
            logger.Log(LogLevel.Critical, id, 0, null, (_, _) => new string('\u0003', message));
            provider.LostEvents.ShouldBe(0);
        }

        JsonElement only = folder.Events().ShouldHaveSingleItem();
        only.GetProperty("CutFromBytes").GetInt32().ShouldBeGreaterThan(6 * 5000);
        (string, int)[] texts = [("SourceContext", category), ("EventName", name), ("@m", message)];
        foreach ((string property, int length) in texts)
        {
            only.GetProperty(property).GetString()!.Length.ShouldBeInRange(Math.Min(length, 10), length, property);
        }
    }

    private static ILoggerFactory Factory(TempFolder folder, SluiceLoggerOptions? options = null) =>
        LoggerFactory.Create(b => b.AddSluice(folder.Log, options ?? new()));

    private static IEnumerable<int> Endless()
    {
        while (true)
        {
            yield return 1;
        }
    }

    private static IEnumerable<int> Broken()
    {
        yield return 1;
        throw new FormatException();
    }

    private sealed class Clock(DateTimeOffset now) : TimeProvider
    {
        public override DateTimeOffset GetUtcNow() => now;
    }

    private sealed class Unspeakable
    {
        public override string ToString() => throw new NotSupportedException();
    }

    private sealed class Silent : IFormattable
    {
        public string ToString(string? format, IFormatProvider? formatProvider) => null!;
    }

    /// <summary>Contains itself.</summary>
    private sealed class Endless2 : System.Collections.IEnumerable
    {
        public System.Collections.IEnumerator GetEnumerator()
        {
            yield return this;
        }
    }

    private sealed class Talkative(ILogger logger)
    {
        public override string ToString()
        {
            logger.LogInformation("from a value");
            return "talked";
        }
    }

    /// <summary>Fails a flush, and runs an action at the next one: that of the opening.</summary>
    private sealed class DisposingDisk(Action action) : InterceptingEngine
    {
        private const int InputOutput = 5;
        private int _step = -1;

        public override string Name => "disposing";

        public bool HasDisposed { get; private set; }

        public void Begin() => _step = 0;

        protected override Interception OnSubmit(in IoSubmission submission)
        {
            if (_step < 0 || submission.IsWrite || submission.IsRead)
            {
                return Interception.PassOn;
            }

            if (_step++ == 0)
            {
                return Interception.Fail(InputOutput);
            }

            if (_step == 2)
            {
                action();
                HasDisposed = true;
            }

            return Interception.PassOn;
        }
    }
}
