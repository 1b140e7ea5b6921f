using System.Buffers.Binary;
using Sluice.Log.Folders;
using Sluice.Log.Frames;
using Sluice.Log.Segments;

namespace Sluice.Log.Tests;

/// <summary>Segments of another version of the format: refused by name, and never changed or removed.</summary>
[Trait("Runs", "once")]
public sealed class VersionTests
{
    [Theory]
    [InlineData("first")]
    [InlineData("last")]
    [InlineData("made ahead")]
    public void A_segment_of_another_version_is_refused_and_stays_as_it_is(string which)
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(48, isDurable: false);
        string first = log.First;
        string name = which == "first" ? first : log.Last;
        byte[] old = [.. log.Files[name]];
        OfVersion1(old);
        log.WriteTo(folder.Log, name, old);
        if (which == "made ahead")
        {
            log.WriteTo(folder.Log);
            SmallLog.MakeAhead(folder.Log, log.LogId);
            string ahead = folder.Segments.Max()!;
            byte[] header = File.ReadAllBytes(ahead);
            OfVersion1(header);
            File.WriteAllBytes(ahead, header);
            name = Path.GetFileName(ahead);
        }

        Dictionary<string, byte[]> before = FolderImage.Read(folder.Log);
        ShouldSayWhy(folder.OpenDamaged());
        ShouldSayWhy(Should.Throw<SluiceLogDamagedException>(() => folder.Open(SmallLog.Accepting)));
        ShouldSayWhy(folder.ReadDamaged(null));
        using (SluiceLogReader reader = folder.OpenReader(skips: true))
        {
            ShouldSayWhy(reader.Damage.Single());
        }

        File.Delete(folder.PathOf(LogFolder.StateName));
        FolderImage.ShouldBe(folder.Log, before);

        void ShouldSayWhy(SluiceLogDamagedException refused)
        {
            refused.Path.ShouldBe(folder.PathOf(name));
            refused.Message.ShouldContain("it has version 1 of the format, and this build reads only version 2");
        }
    }

    /// <summary>What it says of the disk must not be passed over, nor be written over by one who cannot read it.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    public void A_state_of_another_version_is_refused_and_says_what_to_do(byte version)
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(48, isDurable: true);
        byte[] state = [.. log.Files[LogFolder.StateName]];
        state[8] = version;
        Sum(state);
        log.WriteTo(folder.Log, LogFolder.StateName, state);
        Dictionary<string, byte[]> before = FolderImage.Read(folder.Log);
        ShouldSayWhy(() => folder.Open(SmallLog.Options));
        ShouldSayWhy(() => folder.Open(SmallLog.Accepting));
        ShouldSayWhy(() => folder.ReadAll());
        ShouldSayWhy(() => folder.ReadAll(new SluiceLogReaderOptions { SkipDamage = true }));
        FolderImage.ShouldBe(folder.Log, before);
        File.Delete(folder.PathOf(LogFolder.StateName));
        using SluiceLog again = folder.Open(SmallLog.Options);
        again.NextSequence.ShouldBe(49);

        void ShouldSayWhy(Action action)
        {
            string message = Should.Throw<NotSupportedException>(action).Message;
            message.ShouldContain($"'{folder.PathOf(LogFolder.StateName)}' has version {version}, and this build reads only version 1");
            message.ShouldContain("Open the log with a build that reads it, or delete this file");
        }
    }

    [Fact]
    public void A_header_that_allows_larger_frames_than_the_format_is_damage()
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(48, isDurable: false);
        byte[] segment = [.. log.Files[log.Last]];
        BinaryPrimitives.WriteInt32LittleEndian(segment.AsSpan(12), int.MaxValue);
        Sum(segment);
        log.WriteTo(folder.Log, log.Last, segment);
        folder.OpenDamaged()
            .Message.ShouldContain("the header allows larger frames than the format");
    }

    private static void OfVersion1(Span<byte> segment)
    {
        segment[8] = 1;
        Sum(segment);
    }

    private static void Sum(Span<byte> segment) =>
        BinaryPrimitives.WriteUInt32LittleEndian(segment[60..], Crc32C.Append(Crc32C.Begin, segment[..60]));
}
