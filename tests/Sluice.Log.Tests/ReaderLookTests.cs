namespace Sluice.Log.Tests;

/// <summary>How often a reader lists the folder, and what it makes of removed records.</summary>
public sealed class ReaderLookTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(1L << 40)]
    public void An_interval_that_cannot_be_waited_for_is_refused(long milliseconds)
    {
        using TempFolder folder = new();
        folder.Open().Dispose();
        SluiceLogReaderOptions options = new() { PollInterval = TimeSpan.FromMilliseconds(milliseconds) };
        Should.Throw<ArgumentOutOfRangeException>(() => new SluiceLogReader(folder.Log, options)).ParamName.ShouldBe("PollInterval");
    }

    [Fact]
    public void A_state_that_cannot_be_read_does_not_count_as_no_durable_record()
    {
        using TempFolder folder = new();
        using (SluiceLog log = folder.Open(new SluiceLogOptions { Durability = LogDurability.Durable }))
        {
            log.AppendMany(1, 3);
        }

        string state = folder.PathOf("log.state");
        byte[] bytes = File.ReadAllBytes(state);
        bytes[20] ^= 1;
        File.WriteAllBytes(state, bytes);
        folder.ReadDamaged(LogDurability.Durable).Path.ShouldBe(state);
        folder.ReadDamaged(null).Path.ShouldBe(state);
        folder.ReadWritten().Count.ShouldBe(3);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(16)]
    public void Damage_of_a_whole_file_hides_no_record_before_it(int length)
    {
        using TempFolder folder = new(isInMemory: true);
        using (SluiceLog log = folder.Open(SmallLog.Options))
        {
            log.AppendMany(0, 20, 900, LogDurability.Durable);
        }

        string path = folder.PathOf("0000000003.slog");
        using (FileStream file = new(path, FileMode.Open))
        {
            file.SetLength(length);
        }

        using SluiceLogReader reader = folder.OpenReader();
        reader.ReadTo(8);
        for (int call = 0; call < 2; call++)
        {
            Should.Throw<SluiceLogDamagedException>(() => reader.TryRead(out _)).Path.ShouldBe(path);
        }

        folder.OpenDamaged().Path.ShouldBe(path);
    }
}
