namespace Sluice.Log.Tests;

/// <summary>A clock that was ahead once has no effect on what comes later.</summary>
public sealed class ClockTests
{
    private static readonly DateTimeOffset s_now = DateTimeOffset.UtcNow;

    [Fact]
    public void Times_go_back_with_the_clock()
    {
        using TempFolder folder = new();
        Clock clock = new() { Now = s_now.AddYears(5) };
        using (SluiceLog log = Open(folder, clock))
        {
            log.Append(Records.Make(0, 0, 900));
            clock.Now = s_now;
            for (int i = 1; i < 20; i++)
            {
                log.Append(Records.Make(0, i, 900));
            }
        }

        using SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
        reader.TryRead(out LogEntry ahead).ShouldBeTrue();
        ahead.Time.ShouldBeGreaterThan(s_now.AddYears(4));
        while (reader.TryRead(out LogEntry entry))
        {
            entry.Time.ShouldBeLessThan(s_now.AddDays(1));
        }

        SluiceLogReaderOptions later = new() { UpTo = LogDurability.Written, FromTime = s_now.AddYears(1) };
        Records.ReadAll(folder.Log, later).Select(static r => Records.Check(r.Bytes).Number).ShouldBe([0]);
        SluiceLogReaderOptions all = new() { UpTo = LogDurability.Written, FromTime = s_now.AddMinutes(-1) };
        Records.ReadAll(folder.Log, all).Count.ShouldBe(20);
    }

    [Fact]
    public void A_segment_from_the_time_when_the_clock_was_ahead_is_removed_by_the_time_of_its_last_write()
    {
        using TempFolder folder = new();
        Clock clock = new() { Now = s_now.AddYears(5) };
        using SluiceLog log = Open(folder, clock);
        for (int i = 0; i < 20; i++)
        {
            log.Append(Records.Make(0, i, 900), LogDurability.Durable);
            clock.Now = s_now;
        }

        log.TruncateBefore(DateTimeOffset.UtcNow.AddMinutes(1)).ShouldBeGreaterThan(2);
    }

    [Fact]
    public void A_raw_file_with_a_name_of_a_time_to_come_ends_with_the_present_day()
    {
        using TempFolder folder = new();
        Clock clock = new() { Now = s_now.AddYears(5) };
        SluiceLogOptions options = new()
        {
            Format = LogFormat.Raw,
            FileNamePattern = "{date:yyyyMMdd}-{id}.log",
            Clock = clock,
        };
        using (SluiceLog log = SluiceLog.Open(folder.Log, options))
        {
            log.Append("ahead\n"u8, LogDurability.Written);
        }

        clock.Now = s_now;
        using (SluiceLog log = SluiceLog.Open(folder.Log, options))
        {
            log.Append("today\n"u8, LogDurability.Written);
            clock.Now = s_now.AddDays(1);
            log.Append("tomorrow\n"u8, LogDurability.Written);
        }

        Directory.GetFiles(folder.Log).Order(StringComparer.Ordinal).Select(File.ReadAllText).ShouldBe(["ahead\ntoday\n", "tomorrow\n"]);
    }

    private static SluiceLog Open(TempFolder folder, Clock clock) => SluiceLog.Open(folder.Log, new SluiceLogOptions
    {
        SegmentBytes = 4096,
        MaxRecordBytes = 1000,
        BufferBytes = 4000,
        Preallocate = false,
        Clock = clock,
    });

    private sealed class Clock : TimeProvider
    {
        public DateTimeOffset Now { get; set; }

        public override DateTimeOffset GetUtcNow() => Now;
    }
}
