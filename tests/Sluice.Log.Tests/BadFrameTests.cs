using Sluice.Log.Frames;

namespace Sluice.Log.Tests;

/// <summary>A bad frame before complete frames is damage; at the end of the log it is an incomplete write.</summary>
public sealed class BadFrameTests
{
    private const int Count = 12;
    private const string Segment = "0000000001.slog";

    [Fact]
    public void No_flipped_bit_removes_a_record_silently()
    {
        using TempFolder folder = new(isInMemory: true);
        (byte[] bytes, List<int> frames) = Make(folder);
        for (int at = frames[0]; at < bytes.Length; at++)
        {
            byte[] flipped = [.. bytes];
            flipped[at] ^= (byte)(1 << (at % 8));
            File.WriteAllBytes(Path.Combine(folder.Log, Segment), flipped);
            int bad = frames.FindLastIndex(f => f <= at);
            List<int> read = [];
            Exception? error = Record.Exception(() =>
            {
                using SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
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
            (damage.Path, damage.FileOffset, damage.Sequence).ShouldBe((Path.Combine(folder.Log, Segment), frames[bad], bad + 1));
        }
    }

    [Fact]
    public void Zeros_in_place_of_a_frame_are_damage_too()
    {
        using TempFolder folder = new(isInMemory: true);
        (byte[] bytes, List<int> frames) = Make(folder);
        bytes.AsSpan(frames[3], frames[5] - frames[3]).Clear();
        File.WriteAllBytes(Path.Combine(folder.Log, Segment), bytes);
        Should.Throw<SluiceLogDamagedException>(() => Records.ReadWritten(folder.Log)).FileOffset.ShouldBe(frames[3]);
        Should.Throw<SluiceLogDamagedException>(() => SluiceLog.Open(folder.Log)).FileOffset.ShouldBe(frames[3]);
    }

    [Fact]
    public void A_log_with_such_damage_is_opened_only_when_the_loss_is_accepted_and_what_is_cut_is_kept()
    {
        using TempFolder folder = new(isInMemory: true);
        (byte[] bytes, List<int> frames) = Make(folder);
        bytes[frames[4] + 40] ^= 1;
        string path = Path.Combine(folder.Log, Segment);
        File.WriteAllBytes(path, bytes);
        SluiceLogDamagedException damage = Should.Throw<SluiceLogDamagedException>(() => SluiceLog.Open(folder.Log));
        (damage.Path, damage.FileOffset, damage.Sequence).ShouldBe((path, frames[4], 5));
        File.ReadAllBytes(path).ShouldBe(bytes);
        using (SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Written, SkipDamage = true }))
        {
            int records = 0;
            foreach (LogEntry entry in reader.Entries)
            {
                entry.Sequence.ShouldBe(++records + (records >= 5 ? 1 : 0));
            }

            records.ShouldBe(Count - 1);
            reader.Damage.Single().FileOffset.ShouldBe(frames[4]);
        }

        using SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { AcceptLoss = true });
        log.NextSequence.ShouldBe(5);
        SluiceLogCut cut = log.Cut.ShouldNotBeNull();
        cut.FileOffset.ShouldBe(frames[4]);
        cut.SavedAs.ShouldBe(Path.Combine(folder.Log, "0000000001.cut"));
        byte[] saved = File.ReadAllBytes(cut.SavedAs!);
        saved.ShouldBe(bytes[frames[4]..(frames[4] + saved.Length)]);
        bytes.AsSpan(frames[4] + saved.Length).ContainsAnyExcept((byte)0).ShouldBeFalse();
    }

    [Fact]
    public void After_a_restart_of_the_machine_what_was_not_durable_is_cut_and_kept()
    {
        using TempFolder folder = new(isInMemory: true);
        (byte[] bytes, List<int> frames) = Make(folder);
        bytes[frames[4] + 40] ^= 1;
        File.WriteAllBytes(Path.Combine(folder.Log, Segment), bytes);
        Restart.Of(folder.Log);
        Records.ReadWritten(folder.Log).Count.ShouldBe(4);
        using SluiceLog log = SluiceLog.Open(folder.Log);
        log.NextSequence.ShouldBe(5);
        File.Exists(log.Cut.ShouldNotBeNull().SavedAs).ShouldBeTrue();
    }

    [Fact]
    public void After_a_restart_what_was_durable_is_damage()
    {
        using TempFolder folder = new(isInMemory: true);
        (byte[] bytes, List<int> frames) = Make(folder, LogDurability.Durable);
        bytes[frames[4] + 40] ^= 1;
        File.WriteAllBytes(Path.Combine(folder.Log, Segment), bytes);
        Restart.Of(folder.Log);
        Should.Throw<SluiceLogDamagedException>(() => Records.ReadWritten(folder.Log));
        Should.Throw<SluiceLogDamagedException>(() => SluiceLog.Open(folder.Log));
    }

    /// <summary>What a killed process leaves, one frame a record; the bytes of its segment and where the frames begin.</summary>
    private static (byte[] Bytes, List<int> Frames) Make(TempFolder folder, LogDurability durability = LogDurability.Written)
    {
        string written = Path.Combine(folder.Root, "written");
        using (SluiceLog log = SluiceLog.Open(written, new SluiceLogOptions { Preallocate = false, FlushInterval = TimeSpan.FromHours(1) }))
        {
            for (int i = 0; i < Count; i++)
            {
                log.Append(Records.Make(0, i, 20 + i), durability);
            }

            FolderImage.Copy(written, folder.Log);
        }

        byte[] bytes = File.ReadAllBytes(Path.Combine(folder.Log, Segment));
        List<int> frames = [];
        for (int at = LogLayout.HeaderBytes; at < bytes.Length;)
        {
            FrameHeader header = LogLayout.ReadFrameHeader(bytes.AsSpan(at));
            if (header.Kind == FrameKind.Records)
            {
                frames.Add(at);
            }

            at += header.FrameBytes;
        }

        frames.Count.ShouldBe(Count);
        return (bytes, frames);
    }
}
