using System.Globalization;
using Sluice.Faults.Tests.Support;
using Sluice.Kernel;
using Sluice.Log.Kept;
using Sluice.Log.Stages;
using static Sluice.Log.Tests.KeptMemoryTests;
using Sluice.Memory;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>Whose memory it is that outlives the process: what another log, another user or a failed opening has to do with it.</summary>
[Trait("Tier", "slow")]
[Collection(nameof(AloneCollection))]
public sealed class KeptOwnerTests
{
    public KeptOwnerTests() => Skip.IfNot(KeptProgram.IsPossible, KeptProgram.WhyNot);

    /// <summary>Else whoever opens a copy would take the records, and remove the memory, of the log that it is a copy of.</summary>
    [SkippableFact]
    public async Task A_copy_of_a_log_does_not_have_its_memory()
    {
        using TempFolder folder = new();
        using TempFolder other = new();
        int key = await LeaveAsync(folder, "plain");
        Directory.CreateDirectory(other.Log);
        foreach (string file in Directory.GetFiles(folder.Log))
        {
            File.Copy(file, Path.Combine(other.Log, Path.GetFileName(file)));
        }

        Should.Throw<SluiceLogDamagedException>(() => SluiceLog.Open(other.Log)).Message.ShouldContain("copy of the log");
        using (SluiceLog copy = SluiceLog.Open(other.Log, new SluiceLogOptions { AcceptLoss = true }))
        {
            copy.Restored.ShouldBe(0);
        }

        SharedMemoryCalls.Find(key).ShouldBeGreaterThanOrEqualTo(0);
        using (SluiceLog log = SluiceLog.Open(folder.Log))
        {
            log.WrittenSequence.ShouldBe(KeptProgram.RecordCount);
        }

        ShouldBeGone(folder, key);
    }

    /// <summary>A writer that was killed, or failed, while it made or removed memory leaves a key that may be somebody else's.</summary>
    [SkippableTheory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task Memory_of_somebody_else_is_not_removed(byte stage)
    {
        using TempFolder folder = new();
        int key = await LeaveAsync(folder, "plain");
        SharedMemoryCalls.Remove(SharedMemoryCalls.Find(key)).ShouldBe(0);
        SharedMemory.Make(key, 4096, out SharedMemory? foreign).ShouldBe(0);
        foreign!.At(0, 4096).Fill(7);
        Change(Path.Combine(folder.Log, "log.memory"), 9, (byte)(stage ^ 2));
        SluiceLog.Open(folder.Log).Dispose();
        SharedMemoryCalls.Find(key).ShouldBeGreaterThanOrEqualTo(0);
        foreign.Remove().ShouldBe(0);
        foreign.Dispose();
    }

    /// <summary>The names of the folder may be another writer's by then, who made the log anew.</summary>
    [SkippableFact]
    public void A_log_that_was_removed_leaves_the_memory_of_its_successor()
    {
        using TempFolder folder = new();
        SluiceLog old = SluiceLog.Open(folder.Log, KeptProgram.Options);
        int oldKey = KeyOf(folder);
        SluiceLog? next = null;
        for (int tries = 100; next is null; tries--)
        {
            Array.ForEach(Directory.GetFiles(folder.Log), File.Delete);
            try
            {
                next = SluiceLog.Open(folder.Log, KeptProgram.Options);
            }
            catch (IOException) when (tries > 0)
            {
                // The old one's keeper has made log.state anew, once.
            }
        }

        next.Memory.ShouldBe(LogMemory.Shared);
        int key = KeyOf(folder);
        try
        {
            old.Dispose();
        }
        catch (IOException)
        {
            // It may hear that its folder has become another log's.
        }

        SharedMemoryCalls.Find(oldKey).ShouldBe(-Errno.ENOENT);
        KeyOf(folder).ShouldBe(key);
        next.Dispose();
        ShouldBeGone(folder, key);
    }

    /// <summary>Else nobody could open it any more in this process.</summary>
    [SkippableFact]
    public void A_log_whose_file_of_its_memory_may_not_be_written_any_more_is_closed_all_the_same()
    {
        using TempFolder folder = new();
        FailingEngine engine = new();
        SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Memory = LogMemory.Shared, Engine = engine });
        log.Append(Records.Make(0, 0, 100));
        log.Flush();
        engine.WriteErrno = Errno.EACCES;
        log.Dispose();
        int key = KeyOf(folder);
        using (SluiceLog next = SluiceLog.Open(folder.Log))
        {
            (next.Restored, next.NextSequence).ShouldBe((0, 2));
        }

        ShouldBeGone(folder, key);
    }

    /// <summary>A want of address space passes; who accepts the loss of what is gone does not lose what is there.</summary>
    [SkippableFact]
    public void Memory_that_there_is_no_room_for_is_not_lost()
    {
        using TempFolder folder = new();
        int key = LeaveTwoRecords(folder);
        SystemCallFaults.Use(static (call, _, _) => call == "shmat" ? -Errno.ENOMEM : 0);
        try
        {
            IOException error = Should.Throw<IOException>(
                () => SluiceLog.Open(folder.Log, new SluiceLogOptions { AcceptLoss = true }).Dispose());
            error.ShouldNotBeOfType<SluiceLogDamagedException>();
            error.HResult.ShouldBe(Errno.ENOMEM);
        }
        finally
        {
            SystemCallFaults.Use(null);
        }

        using (SluiceLog next = SluiceLog.Open(folder.Log))
        {
            next.Restored.ShouldBe(2);
        }

        ShouldBeGone(folder, key);
    }

    /// <summary>Else nobody would find it any more.</summary>
    [SkippableFact]
    public void Memory_that_cannot_be_removed_keeps_its_name()
    {
        using TempFolder folder = new();
        SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Memory = LogMemory.Shared });
        log.Append(Records.Make(0, 0, 100));
        SystemCallFaults.Use(static (call, _, _) => call == "shmctl" ? -Errno.EPERM : 0);
        try
        {
            log.Dispose();
        }
        finally
        {
            SystemCallFaults.Use(null);
        }

        int key = KeyOf(folder);
        key.ShouldNotBe(0);
        using (SluiceLog next = SluiceLog.Open(folder.Log))
        {
            (next.Restored, next.NextSequence).ShouldBe((0, 2));
        }

        ShouldBeGone(folder, key);
    }

    /// <summary>A log that could not be closed; the key of the memory that it has left.</summary>
    private static int LeaveTwoRecords(TempFolder folder)
    {
        FailingEngine engine = new();
        SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Memory = LogMemory.Shared, Engine = engine });
        log.Append(Records.Make(0, 0, 100));
        log.Append(Records.Make(0, 1, 100));
        engine.WriteErrno = FailingEngine.ENOSPC;
        Should.Throw<IOException>(log.Dispose);
        return KeyOf(folder);
    }

    /// <summary>A process that may not see /proc/sys (a sandbox) does not pass over what the last one left.</summary>
    [SkippableFact]
    public async Task Where_nothing_says_which_boot_this_is_the_memory_is_looked_for()
    {
        Skip.IfNot(Environment.IsPrivilegedProcess && Command.Exists("unshare"), "Only root can hide /proc/sys from a process.");
        using TempFolder folder = new();
        int key = await LeaveAsync(folder, "plain");
        string host = Environment.ProcessPath is { } own && Path.GetFileNameWithoutExtension(own) == "dotnet" ? own : "dotnet";
        long restored = long.Parse(
            Command.Run(
                "unshare", "-m", "sh", "-c", "mount -t tmpfs none /proc/sys && exec \"$@\"", "sh",
                host, typeof(KeptProgram).Assembly.Location, "kept", folder.Log, "open", "0"),
            CultureInfo.InvariantCulture);
        restored.ShouldBeGreaterThan(0);
        Records.ReadAll(folder.Log).Count.ShouldBe(KeptProgram.RecordCount);
        ShouldBeGone(folder, key);
    }

    /// <summary>A file system may give each file one owner: there the next writer would not believe what the file names.</summary>
    [SkippableFact]
    public void Where_the_file_has_another_owner_than_the_memory_there_is_none()
    {
        Skip.IfNot(Environment.IsPrivilegedProcess, "Only root can give a file away.");
        using TempFolder folder = new();
        Directory.CreateDirectory(folder.Log);
        using (SluiceLog log = OpenBeside(folder, call =>
        {
            if (call == "shmget" && File.Exists(Path.Combine(folder.Log, "log.memory")))
            {
                System.Diagnostics.Process.Start("chown", ["1234", Path.Combine(folder.Log, "log.memory")]).WaitForExit();
            }

            return 0;
        }))
        {
            (log.Memory, File.Exists(Path.Combine(folder.Log, "log.memory"))).ShouldBe((LogMemory.Process, false));
            log.MemoryReason.ShouldContain("another user's");
        }
    }

    [SkippableFact]
    public void An_opening_that_fails_leaves_no_memory()
    {
        int refused = 0;
        for (int step = 0; ; step++)
        {
            using TempFolder folder = new();
            int writes = 0;
            HashSet<int> keys = [];
            int own = Environment.CurrentManagedThreadId;
            SystemCallFaults.Use((call, _, _) =>
            {
                keys.Add(KeyOf(folder));
                return Environment.CurrentManagedThreadId == own && call == "pwrite" && writes++ == step ? -Errno.ENOSPC : 0;
            });
            SluiceLog? log = null;
            try
            {
                log = SluiceLog.Open(folder.Log, KeptProgram.Options);
            }
            catch (IOException)
            {
                refused++;
                keys.Add(KeyOf(folder));
            }
            finally
            {
                SystemCallFaults.Use(null);
                log?.Dispose();
            }

            if (log is not null)
            {
                break;
            }

            keys.Where(static k => k != 0).ShouldAllBe(static k => SharedMemoryCalls.Find(k) == -Errno.ENOENT);
            File.Exists(Path.Combine(folder.Log, "log.memory")).ShouldBeFalse();
        }

        // The file that names the memory, twice, and what comes before and behind it.
        refused.ShouldBeGreaterThanOrEqualTo(4);
    }

    /// <summary>It has a number by then, and nobody would find it once its name has gone.</summary>
    [SkippableFact]
    public void A_want_of_memory_where_it_is_attached_leaves_none()
    {
        using TempFolder folder = new();
        int key = 0;
        SystemCallFaults.Use((call, _, _) =>
        {
            if (call != "shmat")
            {
                return 0;
            }

            key = KeyOf(folder);
            throw new OutOfMemoryException();
        });
        try
        {
            Should.Throw<OutOfMemoryException>(() => SluiceLog.Open(folder.Log, KeptProgram.Options).Dispose());
        }
        finally
        {
            SystemCallFaults.Use(null);
        }

        key.ShouldNotBe(0);
        SharedMemoryCalls.Find(key).ShouldBe(-Errno.ENOENT);
    }

    /// <summary>Whoever is killed while it marks the records of a batch that could not be written leaves all of them or none.</summary>
    [SkippableFact]
    public void A_batch_is_withdrawn_by_one_store()
    {
        int key = 0x5EED_0000 | Environment.ProcessId;
        SharedMemory.Make(key, KeptPage.TotalBytes(1, 4096), out SharedMemory? memory).ShouldBe(0);
        try
        {
            KeptPage kept = new(memory!, 0, 1, 4096);
            LogPage page = new(kept);
            page.Open(1, 32);
            page.TryTake(8, 2, out int offset, out long first).ShouldBeTrue();
            Placed place = new(page, offset, first);
            page.Bytes.Slice(offset, 8).Clear();
            page.EndCopy(place, 8, 2);
            KeptPage.Read(kept.Slots[0]).ShouldBe((32, 2));
            page.Withdraw(place, 2);
            kept.Slots[0].ShouldBe(0);
            kept.RecordCount.ShouldBe(0);
        }
        finally
        {
            memory!.Remove().ShouldBe(0);
            memory.Dispose();
        }
    }
}
