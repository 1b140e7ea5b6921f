namespace Sluice.Log.Tests;

/// <summary>What a reader says of a log whose last files are gone.</summary>
[Trait("Runs", "once")]
public sealed class EndOfLogTests
{
    [Theory]
    [InlineData("last")]
    [InlineData("all but the first")]
    [InlineData("all")]
    public void A_log_that_ends_before_what_was_durable_is_damaged(string gone)
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(120, isDurable: true);
        log.WriteTo(folder.Log);
        string[] names = [.. log.Files.Keys.Where(static f => f.EndsWith(".slog", StringComparison.Ordinal)).Order(StringComparer.Ordinal)];
        foreach (string name in gone == "last" ? names[^1..] : gone == "all" ? names : names[1..])
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
        catch (SluiceLogDamagedException e) when (gone == "all")
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
        using SluiceLog accepted = SluiceLog.Open(
            folder.Log, new SluiceLogOptions { AcceptLoss = true, MaxRecordBytes = 1000, Preallocate = false });
        using SluiceLogReader reader = new(folder.Log);
        reader.TryRead(out _).ShouldBeFalse();
        accepted.Append("next"u8, LogDurability.Durable).ShouldBe(49);
        reader.TryRead(out LogEntry entry).ShouldBeTrue();
        entry.Sequence.ShouldBe(49);
        reader.TryRead(out _).ShouldBeFalse();
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
