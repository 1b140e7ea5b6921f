using Sluice.Log.Frames;

namespace Sluice.Log.Tests;

/// <summary>A bad frame before complete frames is damage; at the end of the log it is an incomplete write.</summary>
[Trait("Runs", "once")]
public sealed class BadFrameTests
{
    private const int Count = 12;

    [Fact]
    public void No_flipped_bit_removes_a_record_silently()
    {
        using TempFolder folder = new(isInMemory: true);
        KilledLog log = new(folder, Count);
        for (int at = log.Frames[0]; at < log.Bytes.Length; at++)
        {
            log.Flip(at, (byte)(1 << (at % 8)));
            int bad = log.Frames.FindLastIndex(f => f <= at);
            List<int> read = [];
            Exception? error = Record.Exception(() =>
            {
                using SluiceLogReader reader = folder.OpenReader(LogDurability.Written);
                foreach (LogEntry entry in reader.Entries)
                {
                    read.Add(Records.Check(entry.Bytes).Number);
                }

                reader.Tail.ShouldNotBeNull();
            });
            read.ShouldBe(Enumerable.Range(0, bad), $"byte {at}");
            if (bad == Count - 1)
            {
                error.ShouldBeNull();
                continue;
            }

            SluiceLogDamagedException damage = error.ShouldBeOfType<SluiceLogDamagedException>($"byte {at}");
            (damage.Path, damage.FileOffset, damage.Sequence).ShouldBe((log.Path, log.Frames[bad], bad + 1));
        }
    }

    [Fact]
    public void Zeros_in_place_of_a_frame_are_damage_too()
    {
        using TempFolder folder = new(isInMemory: true);
        KilledLog log = new(folder, Count);
        log.Bytes.AsSpan(log.Frames[3], log.Frames[5] - log.Frames[3]).Clear();
        File.WriteAllBytes(log.Path, log.Bytes);
        folder.ReadDamaged().FileOffset.ShouldBe(log.Frames[3]);
        folder.OpenDamaged().FileOffset.ShouldBe(log.Frames[3]);
    }

    [Fact]
    public void A_log_with_such_damage_is_opened_only_when_the_loss_is_accepted_and_what_is_cut_is_kept()
    {
        using TempFolder folder = new(isInMemory: true);
        KilledLog killed = new(folder, Count);
        int at = killed.Frames[4];
        byte[] bytes = killed.Flip(at + 40);
        SluiceLogDamagedException damage = folder.OpenDamaged();
        (damage.Path, damage.FileOffset, damage.Sequence).ShouldBe((killed.Path, at, 5));
        File.ReadAllBytes(killed.Path).ShouldBe(bytes);
        using (SluiceLogReader reader = folder.OpenReader(LogDurability.Written, skips: true))
        {
            reader.ReadToEnd().ShouldBe(Records.Range(1, Count).Where(static s => s != 5));
            reader.Damage.Single().FileOffset.ShouldBe(at);
        }

        using SluiceLog log = folder.Open(SmallLog.Accepting);
        log.NextSequence.ShouldBe(5);
        SluiceLogCut cut = log.Cut.ShouldNotBeNull();
        cut.FileOffset.ShouldBe(at);
        cut.SavedAs.ShouldBe(folder.PathOf("0000000001.cut"));
        byte[] saved = File.ReadAllBytes(cut.SavedAs!);
        saved.ShouldBe(bytes[at..(at + saved.Length)]);
        bytes.AsSpan(at + saved.Length).ContainsAnyExcept((byte)0).ShouldBeFalse();
    }

    [Theory]
    [InlineData(LogDurability.Written)]
    [InlineData(LogDurability.Durable)]
    public void After_a_restart_what_was_durable_is_damage_and_the_rest_is_cut_and_kept(LogDurability durability)
    {
        using TempFolder folder = new(isInMemory: true);
        KilledLog killed = new(folder, Count, durability);
        killed.Flip(killed.Frames[4] + 40);
        Restart.Of(folder.Log);
        if (durability == LogDurability.Durable)
        {
            folder.ReadDamaged();
            folder.OpenDamaged();
            return;
        }

        folder.ReadWritten().Count.ShouldBe(4);
        using SluiceLog log = folder.Open();
        log.NextSequence.ShouldBe(5);
        File.Exists(log.Cut.ShouldNotBeNull().SavedAs).ShouldBeTrue();
    }

    /// <summary>One flipped bit in the opening of a segment that no sync has covered yet.</summary>
    [Theory]
    [InlineData(70)]
    [InlineData(92)]
    [InlineData(97)]
    public void A_bad_opening_that_records_follow_is_damage_and_changes_nothing(int at)
    {
        using TempFolder folder = new(isInMemory: true);
        KilledLog killed = new(folder, Count);
        byte[] bytes = killed.Flip(at);
        folder.ReadDamaged().Path.ShouldBe(killed.Path);
        folder.OpenDamaged().Path.ShouldBe(killed.Path);
        File.ReadAllBytes(killed.Path).ShouldBe(bytes);
        using SluiceLog log = folder.Open(SmallLog.Accepting);
        File.ReadAllBytes(log.Cut.ShouldNotBeNull().SavedAs.ShouldNotBeNull()).Length.ShouldBeGreaterThan(Count * 20);
    }

    /// <summary>It was the last frame when the reader met it first.</summary>
    [Fact]
    public void A_follower_is_told_of_a_bad_frame_that_others_follow_later()
    {
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = folder.Open(new SluiceLogOptions { Preallocate = false });
        log.AppendMany(1, 5, 50);
        string path = folder.Segments.Single();
        using (FileStream file = new(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete))
        {
            file.Position = file.Length - 20;
            file.WriteByte(0xEE);
        }

        using SluiceLogReader reader = folder.OpenReader(LogDurability.Written);
        reader.ReadTo(4);
        reader.TryRead(out _).ShouldBeFalse();
        reader.Tail.ShouldNotBeNull();
        log.AppendMany(6, 15, 50);
        Should.Throw<SluiceLogDamagedException>(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                reader.TryRead(out _).ShouldBeFalse();
            }
        }).Path.ShouldBe(path);
    }

    /// <summary>The next frame is further away than a reader buffers.</summary>
    [Fact]
    public void A_bad_length_of_a_large_frame_is_damage()
    {
        using TempFolder folder = new(isInMemory: true);
        KilledLog killed = new(folder, Enumerable.Range(0, 4).Select(static i => Records.Make(0, i, 3 << 20)));
        killed.Flip(killed.Frames[1] + 2, 0x10);
        folder.ReadDamaged().Path.ShouldBe(killed.Path);
    }

    /// <summary>The content of a record is two frames that continue one another.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Frames_in_the_content_of_a_record_are_not_read(bool isTorn)
    {
        using TempFolder folder = new(isInMemory: true);
        byte[][] records = [.. Enumerable.Range(0, isTorn ? 4 : 7).Select(static i => i == 3 ? Forge() : Records.Make(0, i, 50))];
        KilledLog killed = new(folder, records);
        if (isTorn)
        {
            killed.Bytes.AsSpan(killed.Bytes.Length - 8).Clear();
            File.WriteAllBytes(killed.Path, killed.Bytes);
        }
        else
        {
            killed.Flip(killed.Frames[3]);
        }

        using (SluiceLogReader reader = folder.OpenReader(LogDurability.Written, skips: true))
        {
            reader.ReadToEnd().ShouldBe(isTorn ? [1, 2, 3] : [1, 2, 3, 5, 6, 7]);
        }

        if (isTorn)
        {
            using SluiceLog log = folder.Open();
            log.NextSequence.ShouldBe(4);
            log.Cut.ShouldNotBeNull();
        }
    }

    [SkippableFact]
    public void What_is_cut_has_the_permissions_of_the_segment_and_another_name_than_a_folder()
    {
        Skip.If(OperatingSystem.IsWindows(), "permissions of Unix");
        using TempFolder folder = new();
        KilledLog killed = new(folder, 3);
        File.WriteAllBytes(killed.Path, killed.Bytes[..^20]);
        _ = Directory.CreateDirectory(Path.ChangeExtension(killed.Path, ".cut"));
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(killed.Path, UnixFileMode.UserRead | UnixFileMode.UserWrite);
            using SluiceLog log = folder.Open();
            string saved = log.Cut.ShouldNotBeNull().SavedAs.ShouldNotBeNull();
            File.GetUnixFileMode(saved).ShouldBe(UnixFileMode.UserRead | UnixFileMode.UserWrite);
        }
    }

    private static byte[] Forge()
    {
        // The first of the two follows the headers of the frame and the record, at a multiple of 8.
        byte[] record = new byte[4 + 64 + 64];
        Span<byte> first = record.AsSpan(4, 64);
        Span<byte> second = record.AsSpan(68, 64);
        LogLayout.WriteFrameHeader(first, new FrameHeader(32, 1, 5, 1, FrameKind.Records, 0));
        LogLayout.WriteFrameHeader(second, new FrameHeader(32, 1, 6, 1, FrameKind.Records, 0));
        first[LogLayout.FrameHeaderBytes] = 28;
        second[LogLayout.FrameHeaderBytes] = 28;
        second[^1] = 1;
        uint chain = LogLayout.Sign(first, 12345);
        _ = LogLayout.Sign(second, chain);
        return record;
    }
}
