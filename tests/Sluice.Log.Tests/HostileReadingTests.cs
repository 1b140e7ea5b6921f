using System.Buffers;
using System.IO.Pipelines;
using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice.Log.Tests;

/// <summary>Damage and torn writes that were once taken for the end of the log, or hid records.</summary>
[Trait("Runs", "once")]
public sealed class HostileReadingTests
{
    /// <summary>One flipped bit in the opening of a segment that no sync has covered yet.</summary>
    [Theory]
    [InlineData(70)]
    [InlineData(92)]
    [InlineData(97)]
    public void A_bad_opening_that_records_follow_is_damage_and_changes_nothing(int at)
    {
        using TempFolder folder = new(isInMemory: true);
        Copy(folder, LogDurability.Written, 20, out string path);
        byte[] bytes = Flip(path, at);
        Should.Throw<SluiceLogDamagedException>(() => Records.ReadWritten(folder.Log)).Path.ShouldBe(path);
        Should.Throw<SluiceLogDamagedException>(() => SluiceLog.Open(folder.Log)).Path.ShouldBe(path);
        File.ReadAllBytes(path).ShouldBe(bytes);
        using SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { AcceptLoss = true });
        File.ReadAllBytes(log.Cut.ShouldNotBeNull().SavedAs.ShouldNotBeNull()).Length.ShouldBeGreaterThan(20 * 50);
    }

    [Fact]
    public void A_reader_of_a_durable_log_does_not_go_on_with_a_damaged_state()
    {
        using TempFolder folder = new(isInMemory: true);
        Copy(folder, LogDurability.Durable, 3, out _);
        string state = Path.Combine(folder.Log, LogFolder.StateName);
        Flip(state, 20);
        Should.Throw<SluiceLogDamagedException>(() => Records.ReadAll(folder.Log, new SluiceLogReaderOptions())).Path.ShouldBe(state);
    }

    /// <summary>The records behind the damage are read in the same enumeration.</summary>
    [Theory]
    [InlineData(LogDurability.Written)]
    [InlineData(LogDurability.Durable)]
    public void A_reader_that_skips_damage_reads_on_behind_a_bad_frame(LogDurability durability)
    {
        using TempFolder folder = new(isInMemory: true);
        Copy(folder, durability, 7, out string path);
        Flip(path, (int)OffsetOf(path, 4) + LogLayout.FrameHeaderBytes + 10);
        using SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { SkipDamage = true, UpTo = LogDurability.Written });
        List<long> read = [];
        foreach (LogEntry entry in reader.Entries)
        {
            read.Add(entry.Sequence);
        }

        read.ShouldBe([1, 2, 3, 5, 6, 7]);
        reader.Damage.ShouldNotBeEmpty();
    }

    /// <summary>It was the last frame when the reader met it first.</summary>
    [Fact]
    public void A_follower_is_told_of_a_bad_frame_that_others_follow_later()
    {
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Preallocate = false, SegmentBytes = 1 << 20 });
        Append(1, 5);
        string path = Path.Combine(folder.Log, "0000000001.slog");
        using (FileStream file = new(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete))
        {
            file.Position = OffsetOf(path, 5) + LogLayout.FrameHeaderBytes + 10;
            file.WriteByte(0xEE);
        }

        using SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
        for (int i = 1; i <= 4; i++)
        {
            reader.TryRead(out _).ShouldBeTrue();
        }

        reader.TryRead(out _).ShouldBeFalse();
        reader.Tail.ShouldNotBeNull();
        Append(6, 20);
        Should.Throw<SluiceLogDamagedException>(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                reader.TryRead(out _).ShouldBeFalse();
            }
        }).Path.ShouldBe(path);

        void Append(int first, int last)
        {
            for (int i = first; i <= last; i++)
            {
                log.Append(Records.Make(0, i, 50), LogDurability.Written);
            }
        }
    }

    /// <summary>The next frame is further away than a reader buffers.</summary>
    [Fact]
    public void A_bad_length_of_a_large_frame_is_damage()
    {
        using TempFolder folder = new(isInMemory: true);
        Copy(folder, LogDurability.Written, 4, out string path, recordBytes: 3 << 20, maxRecordBytes: 8 << 20);
        Flip(path, (int)OffsetOf(path, 2, recordBytes: 3 << 20) + 2);
        Should.Throw<SluiceLogDamagedException>(() => Records.ReadWritten(folder.Log)).Path.ShouldBe(path);
    }

    /// <summary>The content of a record is two frames that continue one another.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Frames_in_the_content_of_a_record_are_not_read(bool isTorn)
    {
        using TempFolder folder = new(isInMemory: true);
        byte[] forged = Forge();
        using TempFolder written = new(isInMemory: true);
        string path;
        using (SluiceLog log = SluiceLog.Open(written.Log, new SluiceLogOptions { Preallocate = false }))
        {
            for (int i = 1; i <= 3; i++)
            {
                log.Append(Records.Make(0, i, 50), LogDurability.Written);
            }

            log.Append(forged, LogDurability.Written);
            for (int i = 5; i <= 7 && !isTorn; i++)
            {
                log.Append(Records.Make(0, i, 50), LogDurability.Written);
            }

            path = CopyFiles(written, folder);
        }

        int at = (int)OffsetOf(path, 4);
        byte[] bytes = File.ReadAllBytes(path);
        if (isTorn)
        {
            bytes.AsSpan(bytes.Length - 8).Clear();
        }
        else
        {
            bytes[at] ^= 1;
        }

        File.WriteAllBytes(path, bytes);
        using (SluiceLogReader reader = new(
            folder.Log, new SluiceLogReaderOptions { SkipDamage = true, UpTo = LogDurability.Written }))
        {
            List<long> read = [];
            foreach (LogEntry entry in reader.Entries)
            {
                read.Add(entry.Sequence);
            }

            read.ShouldBe(isTorn ? [1, 2, 3] : [1, 2, 3, 5, 6, 7]);
        }

        if (isTorn)
        {
            using SluiceLog log = SluiceLog.Open(folder.Log);
            log.NextSequence.ShouldBe(4);
            log.Cut.ShouldNotBeNull();
        }
    }

    [SkippableFact]
    public void What_is_cut_has_the_permissions_of_the_segment_and_another_name_than_a_folder()
    {
        Skip.If(OperatingSystem.IsWindows(), "permissions of Unix");
        using TempFolder folder = new();
        Copy(folder, LogDurability.Written, 3, out string path);
        byte[] bytes = File.ReadAllBytes(path);
        File.WriteAllBytes(path, bytes[..^20]);
        _ = Directory.CreateDirectory(Path.ChangeExtension(path, ".cut"));
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite);
            using SluiceLog log = SluiceLog.Open(folder.Log);
            string saved = log.Cut.ShouldNotBeNull().SavedAs.ShouldNotBeNull();
            File.GetUnixFileMode(saved).ShouldBe(UnixFileMode.UserRead | UnixFileMode.UserWrite);
        }
    }

    [Fact]
    public async Task Flushes_of_a_pipe_are_records_of_their_own_whichever_fails()
    {
        using TempFolder folder = new();
        FailingEngine engine = new();
        using SluiceLog log = SluiceLog.Open(
            folder.Log, new SluiceLogOptions { Engine = engine, BufferBytes = 0, MaxRecordBytes = 8000, Preallocate = false });
        PipeWriter pipe = log.CreatePipeWriter(LogDurability.Written);
        pipe.Write("A"u8);
        engine.WriteErrno = FailingEngine.ENOSPC;
        await Should.ThrowAsync<IOException>(async () => await pipe.FlushAsync());
        pipe.Write("B"u8);
        await Should.ThrowAsync<IOException>(async () => await pipe.FlushAsync());
        engine.WriteErrno = 0;
        pipe.Write("C"u8);
        _ = await pipe.FlushAsync();
        log.Flush();
        Records.ReadWritten(folder.Log).Select(static r => (char)r.Bytes[0]).ShouldBe(['C']);
    }

    private static byte[] Forge()
    {
        // Behind the frame's header and the record's, the first of the two is at a multiple of 8.
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

    private static byte[] Flip(string path, int at)
    {
        byte[] bytes = File.ReadAllBytes(path);
        bytes[at] ^= 0x10;
        File.WriteAllBytes(path, bytes);
        return bytes;
    }

    /// <summary>Each record has a frame of its own.</summary>
    private static long OffsetOf(string path, int record, int recordBytes = 50)
    {
        _ = path;
        int frame = LogLayout.FrameHeaderBytes + LogLayout.Padded(LogLayout.RecordHeaderBytes + recordBytes);
        return LogLayout.HeaderBytes + LogLayout.FrameHeaderBytes + LogLayout.OpeningPayloadBytes + ((record - 1L) * frame);
    }

    /// <summary>As a process that is killed leaves the log.</summary>
    private static void Copy(
        TempFolder folder, LogDurability durability, int count, out string path, int recordBytes = 50, int maxRecordBytes = 100_000)
    {
        using TempFolder written = new(isInMemory: true);
        using SluiceLog log = SluiceLog.Open(
            written.Log,
            new SluiceLogOptions { Durability = durability, MaxRecordBytes = maxRecordBytes, Preallocate = false });
        for (int i = 1; i <= count; i++)
        {
            log.Append(Records.Make(0, i, recordBytes));
        }

        path = CopyFiles(written, folder);
    }

    private static string CopyFiles(TempFolder from, TempFolder to)
    {
        Directory.CreateDirectory(to.Log);
        foreach (string file in Directory.GetFiles(from.Log).Where(static f => Path.GetFileName(f) != LogFolder.LockName))
        {
            using FileStream source = new(file, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            using FileStream target = File.Create(Path.Combine(to.Log, Path.GetFileName(file)));
            source.CopyTo(target);
        }

        return Path.Combine(to.Log, "0000000001.slog");
    }
}
