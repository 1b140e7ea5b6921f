using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice.Log.Tests;

/// <summary>What a reader says of a log whose last files are gone.</summary>
[Trait("Runs", "once")]
public sealed class EndOfLogTests
{
    [Theory]
    [InlineData("last")]
    [InlineData("all but the first")]
    [InlineData("all")]
    [InlineData("all but one made ahead")]
    public void A_log_that_ends_before_what_was_durable_is_damaged(string gone)
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(120, isDurable: true);
        log.WriteTo(folder.Log);
        string[] names = [.. log.Files.Keys.Where(static f => f.EndsWith(".slog", StringComparison.Ordinal)).Order(StringComparer.Ordinal)];
        if (gone == "all but one made ahead")
        {
            SmallLog.MakeAhead(folder.Log, log.LogId);
        }

        foreach (string name in gone == "last" ? names[^1..] : gone == "all but the first" ? names[1..] : names)
        {
            File.Delete(Path.Combine(folder.Log, name));
        }

        long last = 0;
        string message = "";
        try
        {
            using SluiceLogReader reader = new(folder.Log);
            message = Should.Throw<SluiceLogDamagedException>(() =>
            {
                while (reader.TryRead(out LogEntry entry))
                {
                    last = entry.Sequence;
                }
            }).Message;

            // The same again, whoever asks.
            Should.Throw<SluiceLogDamagedException>(() => reader.TryRead(out _)).Message.ShouldBe(message);
        }
        catch (SluiceLogDamagedException e) when (gone.StartsWith("all", StringComparison.Ordinal))
        {
            message = e.Message;
        }

        message.ShouldContain("records up to 120 were on the disk");
        message.ShouldContain($"from record {last + 1} on");
        using SluiceLogReader skipping = new(folder.Log, new SluiceLogReaderOptions { SkipDamage = true });
        int count = 0;
        foreach (LogEntry entry in skipping.Entries)
        {
            entry.Sequence.ShouldBe(++count);
        }

        count.ShouldBe((int)last);
        skipping.Damage.Single().Message.ShouldBe(message);
    }

    /// <summary>What was lost, and accepted as that, is no damage: neither before the first record that comes nor behind it.</summary>
    [Fact]
    public void A_loss_that_was_accepted_is_the_end_of_the_log()
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(48, isDurable: true);
        Directory.CreateDirectory(folder.Log);
        File.WriteAllBytes(Path.Combine(folder.Log, LogFolder.StateName), log.Files[LogFolder.StateName]);
        Should.Throw<SluiceLogDamagedException>(() => SluiceLog.Open(folder.Log));
        SluiceLog.Open(folder.Log, new SluiceLogOptions { AcceptLoss = true, MaxRecordBytes = 1000, Preallocate = false }).Dispose();

        // Once for all, though nothing was appended.
        using SluiceLog accepted = SluiceLog.Open(folder.Log, new SluiceLogOptions { MaxRecordBytes = 1000, Preallocate = false });
        accepted.FirstSequence.ShouldBe(49);
        using SluiceLogReader reader = new(folder.Log);
        reader.TryRead(out _).ShouldBeFalse();
        accepted.Append("next"u8, LogDurability.Durable).ShouldBe(49);
        reader.TryRead(out LogEntry entry).ShouldBeTrue();
        entry.Sequence.ShouldBe(49);
        reader.TryRead(out _).ShouldBeFalse();
    }

    /// <summary>
    /// The last segment was sealed, and the one behind it lost in a power cut: what is removed now must not leave a log of which nothing
    /// says where it goes on.
    /// </summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_log_whose_every_record_was_to_be_removed_is_no_damaged_one(bool isAsked)
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog small = new(48, isDurable: false);
        small.DropUnsealed();
        small.WriteTo(folder.Log);
        long next = small.All.Count + 1;
        SluiceLogOptions options = new()
        {
            SegmentBytes = 4096,
            MaxRecordBytes = 1000,
            BufferBytes = 4000,
            Preallocate = false,
            RetainAge = isAsked ? null : TimeSpan.Zero,
        };
        using (SluiceLog log = SluiceLog.Open(folder.Log, options))
        {
            log.NextSequence.ShouldBe(next);
            _ = log.TruncateBefore(isAsked ? next : 1);
            log.DurableSequence.ShouldBe(next - 1);
        }

        using (SluiceLogReader reader = new(folder.Log))
        {
            while (reader.TryRead(out LogEntry entry))
            {
                entry.Sequence.ShouldBeLessThan(next);
            }

            reader.NextSequence.ShouldBe(next);
        }

        using SluiceLog again = SluiceLog.Open(folder.Log, options);
        again.Append("x"u8, LogDurability.Durable).ShouldBe(next);

        // Now there is another segment on the disk; where nothing may have an age the log itself may have removed the others by now.
        int removed = again.TruncateBefore(next);
        (removed > 0 || !isAsked).ShouldBeTrue();
        again.FirstSequence.ShouldBe(next);
    }

    /// <summary>What is written and was never synced may be gone after a power cut: the segment before it stays until then.</summary>
    [Fact]
    public void The_last_segment_that_is_on_the_disk_is_not_removed()
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog small = new(48, isDurable: false);
        small.DropUnsealed();
        small.WriteTo(folder.Log);
        long next = small.All.Count + 1;
        using SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options);
        log.Append("x"u8, LogDurability.Written).ShouldBe(next);
        _ = log.TruncateBefore(next);
        log.DurableSequence.ShouldBe(next - 1);

        // As a power cut leaves it: of the newest segment the header was on the disk.
        using TempFolder cut = new(isInMemory: true);
        Directory.CreateDirectory(cut.Log);
        string newest = Directory.GetFiles(folder.Log, "*.slog").Max()!;
        foreach (string path in Directory.GetFiles(folder.Log))
        {
            using FileStream file = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
            byte[] bytes = new byte[path == newest ? LogLayout.HeaderBytes : file.Length];
            file.ReadExactly(bytes);
            File.WriteAllBytes(Path.Combine(cut.Log, Path.GetFileName(path)), bytes);
        }

        using (SluiceLogReader reader = new(cut.Log))
        {
            while (reader.TryRead(out _))
            {
            }

            reader.NextSequence.ShouldBe(next);
        }

        using SluiceLog again = SluiceLog.Open(cut.Log, SmallLog.Options);
        again.NextSequence.ShouldBe(next);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_segment_that_is_missing_is_missing_at_the_next_call_too(bool isDurable)
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(60, isDurable);
        string[] names = [.. log.Files.Keys.Where(static f => f.EndsWith(".slog", StringComparison.Ordinal)).Order(StringComparer.Ordinal)];
        log.WriteTo(folder.Log, names[^2]);
        using SluiceLogReader reader = new(folder.Log);
        string message = Should.Throw<SluiceLogDamagedException>(() =>
        {
            while (reader.TryRead(out LogEntry entry))
            {
                Records.Check(entry.Bytes).Number.ShouldBe((int)entry.Sequence - 1);
            }
        }).Message;
        message.ShouldContain("missing");
        for (int i = 0; i < 2; i++)
        {
            Should.Throw<SluiceLogDamagedException>(() => reader.TryRead(out _)).Message.ShouldBe(message);
        }

        // It is there again, and read on from where it was missing.
        File.WriteAllBytes(Path.Combine(folder.Log, names[^2]), log.Files[names[^2]]);
        long last = reader.NextSequence - 1;
        while (reader.TryRead(out LogEntry entry))
        {
            entry.Sequence.ShouldBe(++last);
        }

        last.ShouldBe(60);
    }
}
