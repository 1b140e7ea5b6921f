using Sluice.Log.Frames;

namespace Sluice.Log.Tests;

/// <summary>A reader where a segment begins, and what it was entered by is not there any more.</summary>
public sealed class LostOpeningTests
{
    /// <summary>Of a segment that was sealed when it was seen, and whose tail was taken back since.</summary>
    /// <param name="isOpening">Whether the opening is bad, or the header.</param>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Damage_where_a_segment_begins_is_told_of_and_not_looked_at_for_ever(bool isOpening)
    {
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = folder.Open(SmallLog.With(o => o.FlushInterval = TimeSpan.FromHours(1)));
        log.AppendMany(0, 9, 900);

        // Seals the first two; then a restart at 7, to which the second one's footer does not lead.
        log.TruncateBefore(1).ShouldBe(0);
        log.TruncateAfter(6);
        using SluiceLogReader follower = folder.OpenReader(LogDurability.Written);
        for (int i = 0; i < 4; i++)
        {
            follower.TryRead(out _).ShouldBeTrue();
        }

        using (FileStream file = new(
            folder.PathOf("0000000002.slog"), FileMode.Open, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete))
        {
            byte[] bad = new byte[80];
            bad.AsSpan().Fill(0xFF);
            file.Position = isOpening ? LogLayout.HeaderBytes : 0;
            file.Write(bad, 0, isOpening ? 40 : 16);
            file.Position = LogLayout.HeaderBytes + LogLayout.FrameHeaderBytes + LogLayout.OpeningPayloadBytes;
            file.Write(bad);
        }

        await Task.Run(() => Should.Throw<SluiceLogDamagedException>(() =>
        {
            follower.ReadToEnd();
        })).WaitAsync(TimeSpan.FromMinutes(1));
    }
}
