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
        string[] names = log.Segments;
        if (gone == "all but one made ahead")
        {
            SmallLog.MakeAhead(folder.Log, log.LogId);
        }

        foreach (string name in gone == "last" ? names[^1..] : gone == "all but the first" ? names[1..] : names)
        {
            File.Delete(folder.PathOf(name));
        }

        long last = 0;
        string message = "";
        try
        {
            using SluiceLogReader reader = folder.OpenReader();
            message = Should.Throw<SluiceLogDamagedException>(() => reader.ReadToEnd()).Message;
            last = reader.NextSequence - 1;

            // The same again, whoever asks.
            Should.Throw<SluiceLogDamagedException>(() => reader.TryRead(out _)).Message.ShouldBe(message);
        }
        catch (SluiceLogDamagedException e) when (gone.StartsWith("all", StringComparison.Ordinal))
        {
            message = e.Message;
        }

        message.ShouldContain("records up to 120 were on the disk");
        message.ShouldContain($"from record {last + 1} on");
        using SluiceLogReader skipping = folder.OpenReader(skips: true);
        skipping.ReadToEnd().ShouldBe(Records.Range(1, (int)last));
        skipping.Damage.Single().Message.ShouldBe(message);
    }

    /// <summary>What was lost, and accepted as that, is no damage: neither before the first record that comes nor behind it.</summary>
    [Fact]
    public void A_loss_that_was_accepted_is_the_end_of_the_log()
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(48, isDurable: true);
        folder.Clear();
        File.WriteAllBytes(folder.PathOf(LogFolder.StateName), log.Files[LogFolder.StateName]);
        folder.OpenDamaged();
        folder.Open(SmallLog.Accepting).Dispose();

        // Once for all, though nothing was appended.
        using SluiceLog accepted = folder.Open(new SluiceLogOptions { MaxRecordBytes = 1000, Preallocate = false });
        accepted.FirstSequence.ShouldBe(49);
        using SluiceLogReader reader = folder.OpenReader();
        reader.TryRead(out _).ShouldBeFalse();
        accepted.Append("next"u8, LogDurability.Durable).ShouldBe(49);
        reader.Next().Sequence.ShouldBe(49);
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
        long next = WriteSealed(folder);
        SluiceLogOptions options = SmallLog.With(o => o.RetainAge = isAsked ? null : TimeSpan.Zero);
        using (SluiceLog log = folder.Open(options))
        {
            log.NextSequence.ShouldBe(next);
            _ = log.TruncateBefore(isAsked ? next : 1);
            log.DurableSequence.ShouldBe(next - 1);
        }

        using (SluiceLogReader reader = folder.OpenReader())
        {
            reader.ReadToEnd();
            reader.NextSequence.ShouldBe(next);
        }

        using SluiceLog again = folder.Open(options);
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
        long next = WriteSealed(folder);
        using SluiceLog log = folder.Open(SmallLog.Options);
        log.Append("x"u8, LogDurability.Written).ShouldBe(next);
        _ = log.TruncateBefore(next);
        log.DurableSequence.ShouldBe(next - 1);

        // As a power cut leaves it: of the newest segment the header was on the disk.
        using TempFolder cut = new(isInMemory: true);
        FolderImage.Copy(folder.Log, cut.Log);
        using (FileStream newest = new(cut.Segments[^1], FileMode.Open))
        {
            newest.SetLength(LogLayout.HeaderBytes);
        }

        using (SluiceLogReader reader = cut.OpenReader())
        {
            reader.ReadToEnd();
            reader.NextSequence.ShouldBe(next);
        }

        using SluiceLog again = cut.Open(SmallLog.Options);
        again.NextSequence.ShouldBe(next);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_segment_that_is_missing_is_missing_at_the_next_call_too(bool isDurable)
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(60, isDurable);
        string[] names = log.Segments;
        log.WriteTo(folder.Log, names[^2]);
        using SluiceLogReader reader = folder.OpenReader();
        string message = Should.Throw<SluiceLogDamagedException>(() => reader.ReadToEnd()).Message;
        message.ShouldContain("missing");
        for (int i = 0; i < 2; i++)
        {
            Should.Throw<SluiceLogDamagedException>(() => reader.TryRead(out _)).Message.ShouldBe(message);
        }

        // It is there again, and read on from where it was missing.
        File.WriteAllBytes(folder.PathOf(names[^2]), log.Files[names[^2]]);
        reader.ReadTo(60);
    }

    /// <summary>A log whose last segment has a footer; the sequence number that follows it.</summary>
    private static long WriteSealed(TempFolder folder)
    {
        SmallLog log = new(48, isDurable: false);
        log.DropUnsealed();
        log.WriteTo(folder.Log);
        return log.All.Count + 1;
    }
}
