using System.Buffers.Binary;
using System.Globalization;
using Sluice.Kernel;
using Sluice.Log.Frames;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>Memory that outlives the process (<see cref="LogMemory.Shared"/>): what is in it after a kill, and what becomes of
/// it.</summary>
[Trait("Tier", "slow")]
[Collection(nameof(AloneCollection))]
public sealed class KeptMemoryTests
{
    public KeptMemoryTests() => Skip.IfNot(KeptProgram.IsPossible, KeptProgram.WhyNot);

    [SkippableTheory]
    [InlineData("plain")]
    [InlineData("tasks")]
    [InlineData("batches")]
    [InlineData("reserved")]
    [InlineData("dropped")]
    public async Task What_a_killed_process_had_only_in_memory_is_written_by_the_next_writer(string kind)
    {
        using TempFolder folder = new();
        int key = await LeaveAsync(folder, kind);
        using (SluiceLog log = SluiceLog.Open(folder.Log))
        {
            log.Restored.ShouldBeGreaterThan(0);
            log.NextSequence.ShouldBe(KeptProgram.RecordCount + 1);
            log.WrittenSequence.ShouldBe(KeptProgram.RecordCount);
            log.DurableSequence.ShouldBeLessThan(KeptProgram.RecordCount);
            log.Append(Records.Make(0, KeptProgram.RecordCount, 10)).ShouldBe(KeptProgram.RecordCount + 1);
        }

        List<(long Sequence, byte[] Bytes)> found = Records.ReadAll(folder.Log);
        found.Count.ShouldBe(KeptProgram.RecordCount + 1);
        Records.ShouldBeInOrder(found, 1, 0);
        ShouldBeGone(folder, key);
    }

    /// <summary>Each such record was acknowledged, and stands behind one that never was.</summary>
    [SkippableFact]
    public async Task What_stands_behind_places_that_were_never_filled_is_not_lost()
    {
        using TempFolder folder = new();
        int key = await LeaveAsync(folder, "holes");
        using (SluiceLog log = SluiceLog.Open(folder.Log, KeptProgram.Options))
        {
            log.Restored.ShouldBe(KeptProgram.RecordCount);
            log.NextSequence.ShouldBe((2 * KeptProgram.RecordCount) + 1);
        }

        List<(long Sequence, byte[] Bytes)> found = Records.ReadAll(folder.Log);
        found.Select(static f => f.Sequence).ShouldBe(Enumerable.Range(1, KeptProgram.RecordCount).Select(static i => 2L * i));
        found.Select(static f => Records.Check(f.Bytes).Number).ShouldBe(Enumerable.Range(0, KeptProgram.RecordCount));
        ShouldBeGone(folder, key);
    }

    /// <summary>
    /// Killed before its first system call, its sixth, and so on (SLUICE_KILLS above 100: each of them), from the opening to the end of the
    /// closing; each goes on with what the last one left.
    /// </summary>
    [SkippableFact]
    public async Task A_process_that_is_killed_at_any_system_call_loses_and_leaves_nothing()
    {
        using TempFolder folder = new();
        long acknowledged = 0;
        bool isOver = false;
        int stride = int.TryParse(Environment.GetEnvironmentVariable("SLUICE_KILLS"), CultureInfo.InvariantCulture, out int kills)
            && kills > 100 ? 1 : 5;
        for (int call = 0; !isOver; call += stride)
        {
            using ChildProcess child = new("kept", folder.Log, "calls", $"{call}");
            (string[] lines, int exitCode, string errors) = await child.FinishAsync();
            isOver = lines is [.., "closed"];
            exitCode.ShouldBe(isOver ? 0 : 137, errors);
            acknowledged = lines.Where(static l => l != "closed").Select(static l => long.Parse(l, CultureInfo.InvariantCulture))
                .Append(acknowledged).Max();
            int key = KeyOf(folder);
            call.ShouldBeLessThan(2000);
            if (call % 3 == 0 || isOver)
            {
                // In between it is the next process that finds what the last one left.
                using (SluiceLog log = SluiceLog.Open(folder.Log))
                {
                    log.NextSequence.ShouldBeGreaterThan(acknowledged);
                }

                Records.ShouldBeInOrder(Records.ReadAll(folder.Log), 1, 0);
                ShouldBeGone(folder, key);
            }
        }

        acknowledged.ShouldBeGreaterThan(5);
    }

    [SkippableFact]
    public async Task Memory_that_somebody_has_removed_is_damage_unless_loss_is_accepted()
    {
        using TempFolder folder = new();
        int key = await LeaveAsync(folder, "plain");
        SharedMemoryCalls.Remove(SharedMemoryCalls.Find(key)).ShouldBe(0);
        string[] before = Files(folder);
        SluiceLogDamagedException error = Should.Throw<SluiceLogDamagedException>(() => SluiceLog.Open(folder.Log));
        error.Message.ShouldContain("somebody has removed it");
        error.Path.ShouldBe(Path.Combine(folder.Log, "log.memory"));
        Files(folder).ShouldBe(before);
        using (SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { AcceptLoss = true }))
        {
            log.Restored.ShouldBe(0);
        }

        SluiceLog.Open(folder.Log).Dispose();
    }

    [SkippableFact]
    public async Task Memory_of_an_earlier_boot_is_nobodys_and_of_another_namespace_is_damage()
    {
        using TempFolder folder = new();
        int key = await LeaveAsync(folder, "plain");
        string path = Path.Combine(folder.Log, "log.memory");
        Change(path, 48);
        Should.Throw<SluiceLogDamagedException>(() => SluiceLog.Open(folder.Log)).Message.ShouldContain("namespace");
        Change(path, 48);
        Change(path, 32);
        using (SluiceLog log = SluiceLog.Open(folder.Log))
        {
            log.Restored.ShouldBe(0);
        }

        File.Exists(path).ShouldBeFalse();
        SharedMemoryCalls.Remove(SharedMemoryCalls.Find(key)).ShouldBe(0);
    }

    [SkippableFact]
    public async Task A_file_whose_files_of_records_are_gone_is_damage()
    {
        using TempFolder folder = new();
        int key = await LeaveAsync(folder, "plain");
        Array.ForEach(Directory.GetFiles(folder.Log, "*.slog"), File.Delete);
        File.Delete(Path.Combine(folder.Log, "log.state"));
        Should.Throw<SluiceLogDamagedException>(() => SluiceLog.Open(folder.Log)).Message.ShouldContain("another log");
        using (SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { AcceptLoss = true }))
        {
            log.NextSequence.ShouldBe(1);
        }

        ShouldBeGone(folder, key);
    }

    /// <summary>Where what was left cannot be written it stays where it is.</summary>
    [SkippableFact]
    public async Task An_opening_that_cannot_write_what_was_left_leaves_it()
    {
        using TempFolder folder = new();
        int key = await LeaveAsync(folder, "plain");
        int refused = 0;
        for (int step = 0; ; step++)
        {
            int writes = 0;
            int own = Environment.CurrentManagedThreadId;
            SystemCallFaults.Use((call, _, _) =>
                Environment.CurrentManagedThreadId == own && call == "pwrite" && writes++ == step ? -Errno.ENOSPC : 0);
            try
            {
                SluiceLog.Open(folder.Log).Dispose();
                break;
            }
            catch (IOException)
            {
                refused++;
            }
            finally
            {
                SystemCallFaults.Use(null);
            }
        }

        // A header and the records, and whatever else the file system wants.
        refused.ShouldBeGreaterThanOrEqualTo(2);
        Records.ReadAll(folder.Log).Count.ShouldBe(KeptProgram.RecordCount);
        ShouldBeGone(folder, key);
    }

    [SkippableTheory]
    [InlineData("shmget")]
    [InlineData("shmat")]
    public void Where_it_is_refused_the_log_has_the_processs_own_and_says_why(string call)
    {
        using TempFolder folder = new();
        using (SluiceLog log = OpenBeside(folder, name => name == call ? -Errno.EPERM : 0))
        {
            log.Memory.ShouldBe(LogMemory.Process);
            log.MemoryReason.ShouldContain("refused");
            log.Append(Records.Make(0, 0, 100));

            // Written means in the file here.
            Records.ReadWritten(folder.Log).Count.ShouldBe(1);
        }

        File.Exists(Path.Combine(folder.Log, "log.memory")).ShouldBeFalse();
    }

    [SkippableFact]
    public void An_append_hears_of_a_write_that_failed_before_it()
    {
        using TempFolder folder = new();
        FailingEngine engine = new();
        SluiceLogOptions options = KeptProgram.Options;
        SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions
        {
            Memory = LogMemory.Shared,
            MaxRecordBytes = options.MaxRecordBytes,
            BufferBytes = options.BufferBytes,
            FlushInterval = options.FlushInterval,
            Engine = engine,
        });
        log.Memory.ShouldBe(LogMemory.Shared);
        log.Append(Records.Make(0, 0, 100)).ShouldBe(1);
        log.WrittenSequence.ShouldBe(0);
        engine.WriteErrno = FailingEngine.ENOSPC;
        Should.Throw<IOException>(() => log.Flush(LogDurability.Written));

        // From here on each append waits for its own write, and is withdrawn when that fails.
        Should.Throw<IOException>(() => log.Append(Records.Make(0, 99, 100)));
        Should.Throw<IOException>(() => log.AppendBatch([Records.Make(0, 99, 100), Records.Make(0, 99, 100)]));
        Should.Throw<IOException>(() => log.AppendAsync(Records.Make(0, 99, 100)).AsTask().GetAwaiter().GetResult());
        engine.WriteErrno = 0;
        log.Append(Records.Make(0, 1, 100)).ShouldBe(6);
        log.WrittenSequence.ShouldBe(6);
        log.Append(Records.Make(0, 2, 100)).ShouldBe(7);
        log.WrittenSequence.ShouldBe(6);
        log.Dispose();
        Records.ReadAll(folder.Log).Select(static r => (r.Sequence, Records.Check(r.Bytes).Number))
            .ShouldBe([(1L, 0), (6L, 1), (7L, 2)]);
    }

    /// <summary>A log that could not be closed leaves what it could not write to the next opening, in the same process too.</summary>
    [SkippableFact]
    public void What_could_not_be_written_at_the_closing_is_written_by_the_next_opening()
    {
        using TempFolder folder = new();
        FailingEngine engine = new();
        SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Memory = LogMemory.Shared, Engine = engine });
        log.Append(Records.Make(0, 0, 100));
        log.Append(Records.Make(0, 1, 100));
        engine.WriteErrno = FailingEngine.ENOSPC;
        Should.Throw<IOException>(log.Dispose);
        int key = KeyOf(folder);
        using (SluiceLog next = SluiceLog.Open(folder.Log))
        {
            next.Restored.ShouldBe(2);
        }

        Records.ShouldBeInOrder(Records.ReadAll(folder.Log), 1, 0);
        ShouldBeGone(folder, key);
    }

    /// <summary>Numbers of reservations that were given up are no records.</summary>
    [SkippableFact]
    public void What_was_given_up_is_not_restored()
    {
        using TempFolder folder = new();
        FailingEngine engine = new();
        SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Memory = LogMemory.Shared, Engine = engine });
        engine.WriteErrno = FailingEngine.ENOSPC;
        log.Append(Records.Make(0, 0, 100), LogDurability.Buffered);
        log.Reserve(10).Dispose();
        Should.Throw<IOException>(log.Dispose);
        using SluiceLog next = SluiceLog.Open(folder.Log);
        (next.Restored, next.NextSequence).ShouldBe((1, 3));
    }

    /// <summary>Records longer than the next writer's own may be are restored as they are.</summary>
    [SkippableFact]
    public async Task Longer_records_than_the_next_writer_allows_are_restored()
    {
        using TempFolder folder = new();
        int key = await LeaveAsync(folder, "plain");
        using (SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { MaxRecordBytes = 100, SegmentBytes = 4096 }))
        {
            log.Restored.ShouldBeGreaterThan(0);
            Should.Throw<ArgumentException>(() => log.Append(new byte[101]));
        }

        Records.ShouldBeInOrder(Records.ReadAll(folder.Log), 1, 0);
        ShouldBeGone(folder, key);
    }

    [SkippableFact]
    public void A_log_that_is_closed_leaves_nothing()
    {
        using TempFolder folder = new();
        SluiceLog log = SluiceLog.Open(folder.Log, KeptProgram.Options);
        for (int i = 0; i < KeptProgram.RecordCount; i++)
        {
            log.Append(Records.Make(0, i, 100));
        }

        int key = KeyOf(folder);
        SharedMemoryCalls.Find(key).ShouldBeGreaterThanOrEqualTo(0);
        log.Dispose();
        ShouldBeGone(folder, key);
        Records.ReadAll(folder.Log).Count.ShouldBe(KeptProgram.RecordCount);
        Should.Throw<ObjectDisposedException>(() => log.Append(new byte[1]));
    }

    [SkippableFact]
    public async Task An_empty_log_leaves_nothing_to_restore()
    {
        using TempFolder folder = new();
        int key = await LeaveAsync(folder, "empty");
        using (SluiceLog log = SluiceLog.Open(folder.Log))
        {
            (log.Restored, log.NextSequence).ShouldBe((0, 1));
        }

        ShouldBeGone(folder, key);
    }

    [SkippableFact]
    public void A_reservation_may_be_kept_and_written_to_when_it_has_ended()
    {
        using TempFolder folder = new();
        SluiceLog log = SluiceLog.Open(folder.Log, KeptProgram.Options);
        LogReservation place = log.Reserve(100);
        Span<byte> kept = place.Span;
        Records.Fill(kept, 0, 0);
        place.Commit();
        log.Append(Records.Make(0, 1, 100));
        log.Dispose();
        kept.Fill(1);
        Records.ShouldBeInOrder(Records.ReadAll(folder.Log), 1, 0);
    }

    [SkippableFact]
    public void Raw_logs_have_none() =>
        Should.Throw<ArgumentException>(() => SluiceLog.Open(
            "nowhere", new SluiceLogOptions { Format = LogFormat.Raw, Memory = LogMemory.Shared }));

    /// <summary>A log whose process is killed when it has done something; the key of its memory.</summary>
    internal static async Task<int> LeaveAsync(TempFolder folder, string kind)
    {
        using ChildProcess child = new("kept", folder.Log, kind, "0");
        string? line = await child.ReadLineAsync();
        child.Kill();
        (_, _, string errors) = await child.FinishAsync();
        line.ShouldBe("done Shared as asked for", errors);
        int key = KeyOf(folder);
        SharedMemoryCalls.Find(key).ShouldBeGreaterThanOrEqualTo(0);
        return key;
    }

    /// <summary>Opens it while something answers to its system calls.</summary>
    internal static SluiceLog OpenBeside(TempFolder folder, Func<string, int> answer)
    {
        SystemCallFaults.Use((call, _, _) => answer(call));
        try
        {
            return SluiceLog.Open(folder.Log, KeptProgram.Options);
        }
        finally
        {
            SystemCallFaults.Use(null);
        }
    }

    /// <summary>0 where there is no file that names memory.</summary>
    internal static int KeyOf(TempFolder folder)
    {
        string path = Path.Combine(folder.Log, "log.memory");
        return File.Exists(path) && File.ReadAllBytes(path) is { Length: 64 } bytes
            ? BinaryPrimitives.ReadInt32LittleEndian(bytes.AsSpan(12)) : 0;
    }

    internal static void ShouldBeGone(TempFolder folder, int key)
    {
        File.Exists(Path.Combine(folder.Log, "log.memory")).ShouldBeFalse();
        if (key != 0)
        {
            SharedMemoryCalls.Find(key).ShouldBe(-Errno.ENOENT);
        }
    }

    /// <summary>Changes a byte back and forth, and signs the file.</summary>
    internal static void Change(string path, int offset, byte bits = 1)
    {
        byte[] bytes = File.ReadAllBytes(path);
        bytes[offset] ^= bits;
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(60), Crc32C.Append(Crc32C.Begin, bytes.AsSpan(0, 60)));
        File.WriteAllBytes(path, bytes);
    }

    private static string[] Files(TempFolder folder) =>
    [
        .. Directory.GetFiles(folder.Log).Order(StringComparer.Ordinal)
            .Select(static f => $"{f} {Convert.ToHexString(File.ReadAllBytes(f).AsSpan(0, 64))}"),
    ];
}
