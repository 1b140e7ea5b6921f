namespace Sluice.Log.Tests;

/// <summary>A clock that was ahead or behind once has no effect on what comes later.</summary>
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
            log.AppendMany(1, 19, 900);
        }

        using SluiceLogReader reader = folder.OpenReader(LogDurability.Written);
        reader.TryRead(out LogEntry ahead).ShouldBeTrue();
        ahead.Time.ShouldBeGreaterThan(s_now.AddYears(4));
        while (reader.TryRead(out LogEntry entry))
        {
            entry.Time.ShouldBeLessThan(s_now.AddDays(1));
        }

        SluiceLogReaderOptions later = new() { UpTo = LogDurability.Written, FromTime = s_now.AddYears(1) };
        folder.Numbers(later).ShouldBe([0]);
        SluiceLogReaderOptions all = new() { UpTo = LogDurability.Written, FromTime = s_now.AddMinutes(-1) };
        folder.ReadAll(all).Count.ShouldBe(20);
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
        using (SluiceLog log = folder.Open(options))
        {
            log.Append("ahead\n"u8, LogDurability.Written);
        }

        clock.Now = s_now;
        using (SluiceLog log = folder.Open(options))
        {
            log.Append("today\n"u8, LogDurability.Written);
            clock.Now = s_now.AddDays(1);
            log.Append("tomorrow\n"u8, LogDurability.Written);
        }

        folder.Files.Select(File.ReadAllText).ShouldBe(["ahead\ntoday\n", "tomorrow\n"]);
    }

    [Fact]
    public void Segments_become_too_old_though_the_clock_was_ahead()
    {
        using TempFolder folder = new();
        AppendAt(folder, s_now.AddDays(1));
        using SluiceLog log = folder.Open(new SluiceLogOptions { SegmentAge = TimeSpan.FromMilliseconds(10), Preallocate = false });
        Threads.WaitUntil(() =>
            {
                log.Append([1], LogDurability.Written);
                return folder.Segments.Length > 3;
            });
    }

    /// <summary>A machine without a clock of its own starts with a wrong time. Retention by age removes no segment for that.</summary>
    [Theory]
    [InlineData(LogFormat.Framed)]
    [InlineData(LogFormat.Raw)]
    public void What_is_young_stays_though_the_clock_was_behind(LogFormat format)
    {
        using TempFolder folder = new();
        DateTime old = DateTime.UtcNow.AddDays(-10);
        if (format == LogFormat.Framed)
        {
            AppendAt(folder, new DateTimeOffset(old));
        }

        using (SluiceLog log = folder.Open(SmallLog.With(format, segmentAge: format == LogFormat.Framed ? TimeSpan.FromDays(1) : null)))
        {
            log.AppendMany(1, 199);
        }

        string[] files = format == LogFormat.Framed ? folder.Segments : folder.RawFiles;
        files.Length.ShouldBeGreaterThan(4);
        File.SetLastWriteTimeUtc(files[0], old);
        File.SetLastWriteTimeUtc(files[2], DateTime.UnixEpoch.AddMinutes(1));
        using (SluiceLog log = folder.Open(SmallLog.With(format, retainAge: TimeSpan.FromDays(1))))
        {
            // A raw log looks when a file is full.
            log.AppendMany(0, 50);

            Threads.WaitUntil(() => !File.Exists(files[0]));
        }

        files[1..].ShouldAllBe(static f => File.Exists(f));
    }

    /// <summary>A machine without a clock of its own writes its very first segments in 1970.</summary>
    [Theory]
    [InlineData(LogFormat.Framed)]
    [InlineData(LogFormat.Raw)]
    public void The_oldest_is_not_too_old_for_having_been_written_before_the_clock_was_set(LogFormat format)
    {
        using TempFolder folder = new();
        if (format == LogFormat.Framed)
        {
            AppendAt(folder, DateTimeOffset.UnixEpoch.AddMinutes(1));
        }

        string[] files = [];
        for (int run = 0; run < 2; run++)
        {
            TimeSpan? segmentAge = format == LogFormat.Framed ? TimeSpan.FromDays(1) : null;
            using (SluiceLog log = folder.Open(SmallLog.With(format, TimeSpan.FromDays(1), segmentAge)))
            {
                log.AppendMany(1, 199);
            }

            files = files.Length > 0 ? files : format == LogFormat.Framed ? folder.Segments : folder.RawFiles;
            if (format == LogFormat.Raw && run == 0)
            {
                File.SetLastWriteTimeUtc(files[0], DateTime.UnixEpoch.AddMinutes(1));
            }
        }

        files.Length.ShouldBeGreaterThan(2);
        files.ShouldAllBe(static f => File.Exists(f));
    }

    /// <summary>A log with a record of that time.</summary>
    private static void AppendAt(TempFolder folder, DateTimeOffset time)
    {
        using SluiceLog log = Open(folder, new Clock { Now = time });
        log.AppendMany(0, 1);
    }

    private static SluiceLog Open(TempFolder folder, Clock clock) => folder.Open(SmallLog.With(o => o.Clock = clock));

    private sealed class Clock : TimeProvider
    {
        public DateTimeOffset Now { get; set; }

        public override DateTimeOffset GetUtcNow() => Now;
    }
}
