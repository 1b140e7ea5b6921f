using System.Buffers.Binary;
using Sluice.Log.Folders;
using Sluice.Log.Frames;
using Sluice.Log.Segments;

namespace Sluice.Log.Tests;

/// <summary>What an opening reads of the last segment, and what it believes.</summary>
public sealed class RecoveryTests
{
    /// <summary>What is not known to be on the disk is read from there, however much was read ahead: here it is not there.</summary>
    [Theory]
    [InlineData(0, 0)]
    [InlineData(1, 1)]
    [InlineData(17, 17)]
    [InlineData(30, 30)]
    [InlineData(31, 30)]
    public void What_is_behind_the_durable_end_is_read_again(long durable, long expected)
    {
        const int count = 30;
        using TempFolder folder = new(isInMemory: true);
        using (SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Preallocate = false }))
        {
            for (int i = 0; i < count; i++)
            {
                log.Append(Records.Make(0, i, 100), LogDurability.Written);
            }
        }

        string path = Directory.GetFiles(folder.Log, "*.slog").Single();
        SegmentInfo segment = SegmentInfo.Read(path, 1).ShouldNotBeNull();
        using SluiceHandle file = SluiceHandle.Open(path, FileMode.Open, FileAccess.ReadWrite);
        List<long> offsets = [];
        SegmentScan scan = segment.Scan(file, durable, offset =>
        {
            offsets.Add(offset);
            file.SetLength(offset);
        });
        scan.LastSequence.ShouldBe(expected);
        offsets.Count.ShouldBe(durable <= count ? 1 : 0);
    }

    /// <summary>A clock that was ahead for once, by which all later records have its time.</summary>
    [Fact]
    public void What_is_too_old_goes_though_the_clock_was_ahead()
    {
        using TempFolder folder = new();
        Directory.CreateDirectory(folder.Log);
        MakeAhead(folder.Log, LogLayout.ToNanoseconds(DateTime.UtcNow.AddDays(1)));
        for (int run = 0; run < 2; run++)
        {
            using SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions
            {
                SegmentBytes = 4096,
                Preallocate = false,
                RetainAge = TimeSpan.FromSeconds(1),
                Durability = LogDurability.Written,
            });
            for (int i = 0; i < 100; i++)
            {
                log.Append(Records.Make(0, i, 200));
            }

            SpinWait.SpinUntil(() => Directory.GetFiles(folder.Log, "*.slog").Length <= 2, TimeSpan.FromMinutes(1)).ShouldBeTrue();
        }
    }

    [Fact]
    public void Segments_become_too_old_though_the_clock_was_ahead()
    {
        using TempFolder folder = new();
        Directory.CreateDirectory(folder.Log);
        MakeAhead(folder.Log, LogLayout.ToNanoseconds(DateTime.UtcNow.AddDays(1)));
        using SluiceLog log = SluiceLog.Open(
            folder.Log, new SluiceLogOptions { SegmentAge = TimeSpan.FromMilliseconds(10), Preallocate = false });
        SpinWait.SpinUntil(
            () =>
            {
                log.Append([1], LogDurability.Written);
                return Directory.GetFiles(folder.Log, "*.slog").Length > 3;
            },
            TimeSpan.FromMinutes(1)).ShouldBeTrue();
    }

    /// <summary>As where a machine without a clock of its own starts before it has asked for the time: nothing is older for that.</summary>
    [Theory]
    [InlineData(LogFormat.Framed)]
    [InlineData(LogFormat.Raw)]
    public void What_is_young_stays_though_the_clock_was_behind(LogFormat format)
    {
        using TempFolder folder = new();
        Directory.CreateDirectory(folder.Log);
        DateTime old = DateTime.UtcNow.AddDays(-10);
        if (format == LogFormat.Framed)
        {
            MakeAhead(folder.Log, LogLayout.ToNanoseconds(old));
        }

        using (SluiceLog log = SluiceLog.Open(
            folder.Log, SmallLog.With(format, segmentAge: format == LogFormat.Framed ? TimeSpan.FromDays(1) : null)))
        {
            for (int i = 1; i < 200; i++)
            {
                log.Append(Records.Make(0, i, 100));
            }
        }

        string[] files = [.. Directory.GetFiles(folder.Log, "0*").Order()];
        files.Length.ShouldBeGreaterThan(4);
        File.SetLastWriteTimeUtc(files[0], old);
        File.SetLastWriteTimeUtc(files[2], DateTime.UnixEpoch.AddMinutes(1));
        using (SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.With(format, retainAge: TimeSpan.FromDays(1))))
        {
            // A raw log looks when a file is full.
            for (int i = 0; i < 50; i++)
            {
                log.Append(Records.Make(0, i, 100));
            }

            SpinWait.SpinUntil(() => !File.Exists(files[0]), TimeSpan.FromMinutes(1)).ShouldBeTrue();
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
        Directory.CreateDirectory(folder.Log);
        if (format == LogFormat.Framed)
        {
            MakeAhead(folder.Log, LogLayout.ToNanoseconds(DateTime.UnixEpoch.AddMinutes(1)));
        }

        string[] files = [];
        for (int run = 0; run < 2; run++)
        {
            TimeSpan? segmentAge = format == LogFormat.Framed ? TimeSpan.FromDays(1) : null;
            using (SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.With(format, TimeSpan.FromDays(1), segmentAge)))
            {
                for (int i = 1; i < 200; i++)
                {
                    log.Append(Records.Make(0, i, 100));
                }
            }

            files = files.Length > 0 ? files : [.. Directory.GetFiles(folder.Log, "0*").Order()];
            if (format == LogFormat.Raw && run == 0)
            {
                File.SetLastWriteTimeUtc(files[0], DateTime.UnixEpoch.AddMinutes(1));
            }
        }

        files.Length.ShouldBeGreaterThan(2);
        files.ShouldAllBe(static f => File.Exists(f));
    }

    /// <summary>A log of one record of that time.</summary>
    private static void MakeAhead(string directory, long time)
    {
        LogFolder folder = new(directory, SegmentNames.Framed);
        using SegmentFile file = new NextSegment(folder, SmallLog.Options.Check(), Guid.NewGuid(), 1).Get();
        file.Begin(1, time);
        byte[] record = Records.Make(0, 0, 100);
        byte[] frame = new byte[LogLayout.FrameHeaderBytes + LogLayout.RecordHeaderBytes + record.Length + 8];
        BinaryPrimitives.WriteInt32LittleEndian(frame.AsSpan(LogLayout.FrameHeaderBytes), record.Length);
        record.CopyTo(frame, LogLayout.FrameHeaderBytes + LogLayout.RecordHeaderBytes);
        file.Append(frame, frame.Length - 8, 1, 1, time);
    }
}
