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
        string first = log.Files.Keys.Order(StringComparer.Ordinal).First();
        string name = which == "first" ? first : log.Last;
        byte[] old = [.. log.Files[name]];
        OfVersion1(old);
        log.WriteTo(folder.Log, name, old);
        if (which == "made ahead")
        {
            log.WriteTo(folder.Log);
            SmallLog.MakeAhead(folder.Log, log.LogId);
            string ahead = Directory.GetFiles(folder.Log, "*.slog").Max()!;
            byte[] header = File.ReadAllBytes(ahead);
            OfVersion1(header);
            File.WriteAllBytes(ahead, header);
            name = Path.GetFileName(ahead);
        }

        Dictionary<string, byte[]> before = Content(folder.Log);
        ShouldSayWhy(Should.Throw<SluiceLogDamagedException>(() => SluiceLog.Open(folder.Log, SmallLog.Options)));
        ShouldSayWhy(Should.Throw<SluiceLogDamagedException>(() => SluiceLog.Open(folder.Log, new SluiceLogOptions { AcceptLoss = true })));
        ShouldSayWhy(Should.Throw<SluiceLogDamagedException>(() => Records.ReadAll(folder.Log)));
        using (SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { SkipDamage = true }))
        {
            ShouldSayWhy(reader.Damage.Single());
        }

        Dictionary<string, byte[]> after = Content(folder.Log);
        after.Remove(LogFolder.StateName);
        after.Keys.Order(StringComparer.Ordinal).ShouldBe(before.Keys.Order(StringComparer.Ordinal));
        after.ShouldAllBe(file => file.Value.SequenceEqual(before[file.Key]));

        void ShouldSayWhy(SluiceLogDamagedException refused)
        {
            refused.Path.ShouldBe(Path.Combine(folder.Log, name));
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
        Dictionary<string, byte[]> before = Content(folder.Log);
        ShouldSayWhy(() => SluiceLog.Open(folder.Log, SmallLog.Options));
        ShouldSayWhy(() => SluiceLog.Open(folder.Log, new SluiceLogOptions { AcceptLoss = true }));
        ShouldSayWhy(() => Records.ReadAll(folder.Log));
        ShouldSayWhy(() => Records.ReadAll(folder.Log, new SluiceLogReaderOptions { SkipDamage = true }));
        Dictionary<string, byte[]> after = Content(folder.Log);
        after.Keys.Order(StringComparer.Ordinal).ShouldBe(before.Keys.Order(StringComparer.Ordinal));
        after.ShouldAllBe(file => file.Value.SequenceEqual(before[file.Key]));
        File.Delete(Path.Combine(folder.Log, LogFolder.StateName));
        using SluiceLog again = SluiceLog.Open(folder.Log, SmallLog.Options);
        again.NextSequence.ShouldBe(49);

        void ShouldSayWhy(Action action)
        {
            string message = Should.Throw<NotSupportedException>(action).Message;
            message.ShouldContain($"'{Path.Combine(folder.Log, LogFolder.StateName)}' has version {version}, and this build reads only version 1");
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
        Should.Throw<SluiceLogDamagedException>(() => SluiceLog.Open(folder.Log, SmallLog.Options))
            .Message.ShouldContain("the header allows larger frames than the format");
    }

    private static void OfVersion1(Span<byte> segment)
    {
        segment[8] = 1;
        Sum(segment);
    }

    private static void Sum(Span<byte> segment) =>
        BinaryPrimitives.WriteUInt32LittleEndian(segment[60..], Crc32C.Append(Crc32C.Begin, segment[..60]));

    private static Dictionary<string, byte[]> Content(string directory) =>
        Directory.GetFiles(directory).Where(static f => Path.GetFileName(f) != LogFolder.LockName).ToDictionary(static f => Path.GetFileName(f), File.ReadAllBytes);
}
