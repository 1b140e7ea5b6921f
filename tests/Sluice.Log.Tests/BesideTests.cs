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
        using SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Durability = LogDurability.Durable });
        Task writing = Task.Run(() =>
        {
            for (int i = 0; i < records; i++)
            {
                log.Append(Records.Make(0, i, 900_000));
            }
        });
        using SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
        int count = 0;
        while (count < records)
        {
            bool isOver = writing.IsCompleted;
            while (reader.TryRead(out LogEntry entry))
            {
                entry.Sequence.ShouldBe(++count);
            }

            if (isOver)
            {
                break;
            }
        }

        await writing;
        count.ShouldBe(records);
    }

    [Fact]
    public async Task A_reader_that_begins_while_segments_are_removed_begins_with_what_is_there()
    {
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions
        {
            SegmentBytes = 4096,
            MaxRecordBytes = 1000,
            Preallocate = false,
            RetainSegments = 2,
            BufferBytes = 4000,
        });
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
            using SluiceLogReader reader = new(folder.Log);
            if (reader.TryRead(out LogEntry entry))
            {
                entry.Sequence.ShouldBeGreaterThan(0);
            }
        }

        Volatile.Write(ref ends, true);
        await writing;
        log.LastError.ShouldBeNull();
    }

    [Fact]
    public void A_raw_writer_whose_file_another_one_removed_goes_on_in_the_newest()
    {
        using TempFolder folder = new();
        SluiceLogOptions options = new() { Format = LogFormat.Raw, SegmentBytes = 4096, MaxRecordBytes = 1000, RetainSegments = 2 };
        using (SluiceLog one = SluiceLog.Open(folder.Log, options))
        using (SluiceLog other = SluiceLog.Open(folder.Log, options))
        {
            other.Append(Records.Make(1, 0, 500));
            for (int i = 0; i < 40; i++)
            {
                one.Append(Records.Make(0, i, 900), LogDurability.Durable);
            }

            SpinWait.SpinUntil(() => Directory.GetFiles(folder.Log).Length <= 2, TimeSpan.FromMinutes(1)).ShouldBeTrue();
            byte[] last = Records.Make(1, 1, 500);
            other.Append(last, LogDurability.Durable);
            string newest = Directory.GetFiles(folder.Log).Max()!;
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
        using (log = SluiceLog.Open(
            folder.Log, new SluiceLogOptions { Format = LogFormat.Raw, SegmentBytes = 4096, MaxRecordBytes = 1000, Engine = engine }))
        {
            log.Append(Records.Make(0, 0, 900), LogDurability.Durable);
            engine.Count.ShouldBeGreaterThan(0);
            log.Flush();
            Directory.GetFiles(folder.Log).Length.ShouldBe(2);

            // The first file for one record, then for the others that it took meanwhile, and the second file.
            engine.Count.ShouldBe(3);
        }
    }

    [Fact]
    public void A_raw_file_that_somebody_removed_takes_no_record_with_it()
    {
        using TempFolder folder = new();
        using SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Format = LogFormat.Raw });
        log.Append(Records.Make(0, 0, 50), LogDurability.Durable);
        File.Delete(Path.Combine(folder.Log, "0000000001.log"));
        byte[] record = Records.Make(0, 1, 50);
        try
        {
            log.Append(record, LogDurability.Durable);
        }
        catch (IOException)
        {
            return;
        }

        Directory.GetFiles(folder.Log).Select(File.ReadAllBytes).Any(b => b.AsSpan().IndexOf(record) >= 0).ShouldBeTrue();
    }
}
