using Sluice.Log.Frames;

namespace Sluice.Log.Tests;

/// <summary>Readers beside a writer that writes, rolls and removes; two writers of a raw log.</summary>
public sealed class BesideTests
{
    [Fact]
    public async Task A_reader_beside_durable_appends_takes_no_frame_that_is_being_written_for_damage()
    {
        const int records = 60;
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(new SluiceLogOptions { Durability = LogDurability.Durable });
        Task writing = Task.Run(() => log.AppendMany(0, records, 900_000));
        using SluiceLogReader reader = folder.OpenReader(LogDurability.Written);
        while (!writing.IsCompleted)
        {
            reader.ReadToEnd();
        }

        await writing;
        reader.ReadToEnd();
        reader.NextSequence.ShouldBe(records + 1);
    }

    [Fact]
    public async Task A_reader_that_begins_while_segments_are_removed_begins_with_what_is_there()
    {
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = folder.Open(SmallLog.With(o => o.RetainSegments = 2));
        bool ends = false;
        Task writing = Task.Run(() =>
        {
            for (int i = 0; !Volatile.Read(ref ends); i++)
            {
                log.Append(Records.Make(0, i, 900));
                log.FirstSequence.ShouldBeGreaterThan(0);
            }
        });
        for (int i = 0; i < 1000 && !writing.IsCompleted; i++)
        {
            using SluiceLogReader reader = folder.OpenReader();
            if (reader.TryRead(out LogEntry entry))
            {
                entry.Sequence.ShouldBeGreaterThan(0);
            }
        }

        Volatile.Write(ref ends, true);
        await writing;
        log.LastError.ShouldBeNull();
    }

    /// <summary>For the writer with the larger segments the file that the other one removes is not full.</summary>
    [Fact]
    public void A_raw_writer_whose_file_another_one_removed_goes_on_in_the_newest()
    {
        using TempFolder folder = new();
        SluiceLogOptions options = SmallLog.With(o => (o.Format, o.RetainSegments) = (LogFormat.Raw, 2));
        using (SluiceLog one = folder.Open(options))
        using (SluiceLog other = folder.Open(SmallLog.With(o => (o.Format, o.SegmentBytes) = (LogFormat.Raw, 1 << 20))))
        {
            other.Append(Records.Make(1, 0, 500));
            one.AppendMany(0, 40, 900, LogDurability.Durable);
            Threads.WaitUntil(() => folder.Files.Length <= 2);
            byte[] last = Records.Make(1, 1, 500);
            other.Append(last, LogDurability.Durable);
            string newest = folder.Files.Max()!;
            File.ReadAllBytes(newest).AsSpan().IndexOf(last).ShouldBeGreaterThanOrEqualTo(0);
        }
    }

    [Fact]
    public void What_a_raw_file_takes_while_it_is_synced_is_synced_although_the_file_is_full_then()
    {
        using TempFolder folder = new();
        SluiceLog? log = null;
        BusyFlushEngine engine = new(() =>
        {
            for (int i = 1; i <= 6; i++)
            {
                log!.Append(Records.Make(0, i, 900), LogDurability.Written);
            }
        });
        using (log = folder.Open(SmallLog.With(o => (o.Format, o.Engine) = (LogFormat.Raw, engine))))
        {
            log.Append(Records.Make(0, 0, 900), LogDurability.Durable);
            engine.Count.ShouldBeGreaterThan(0);
            log.Flush();
            folder.Files.Length.ShouldBe(2);

            // The first file for one record, then for the others that it took meanwhile, and the second file.
            engine.Count.ShouldBe(3);
        }
    }
}
