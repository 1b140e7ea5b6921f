using Sluice.Log.Folders;
using Sluice.Log.Segments;
using Sluice.Tests.Shared;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>What whoever appends does where a segment is full: it goes on in the next one, which is there.</summary>
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class RollCallTests : IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    public void Dispose() => SystemCallFaults.Use(null);

    /// <summary>
    /// The disk is not done with the first full segment: others are made all the same, and who appends makes no system call but to write,
    /// and to look whether the file is still there.
    /// </summary>
    [SkippableFact]
    public void Who_appends_makes_flushes_and_closes_no_segment_though_the_disk_does_not_keep_up()
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        using ManualResetEventSlim isDone = new();
        HashSet<string> calls = [];
        int made = 0;
        int thread = Environment.CurrentManagedThreadId;
        using (SluiceLog log = folder.Open(new SluiceLogOptions { SegmentBytes = 8000, MaxRecordBytes = 1000 }))
        {
            log.Append(Records.Make(0, 0, 900), LogDurability.Written);
            SystemCallFaults.Use((call, fd, _) =>
            {
                if (Environment.CurrentManagedThreadId == thread)
                {
                    calls.Add(call);
                }
                else if (call == "fsync" && OpenFiles.NameOf(fd) == folder.Log)
                {
                    // The last of what is done for a segment that is made.
                    Interlocked.Increment(ref made);
                }
                else if (call == "fsync" && Path.GetFileName(OpenFiles.NameOf(fd)) == "0000000001.slog")
                {
                    isDone.Wait(Patience).ShouldBeTrue();
                }

                return 0;
            });
            for (int i = 1, segments = 1; segments < 6; i++)
            {
                log.Append(Records.Make(0, i, 900), LogDurability.Written);
                if (Of(folder, segments) > 4000)
                {
                    Threads.WaitUntil(() => Volatile.Read(ref made) >= segments, $"nobody made segment {segments + 1}");
                    segments++;
                }
            }

            lock (calls)
            {
                // To wake others, or to be woken: futex.
                calls.Where(static c => c != "futex").ShouldBe(["pwrite", "statx"], ignoreOrder: true);
            }

            isDone.Set();
            SystemCallFaults.Use(null);
        }

        Records.ShouldBeInOrder(folder.ReadAll(), 1, 0);
    }

    /// <summary>No thread is woken or waited for. log.state is written without a sync.</summary>
    [SkippableFact]
    public void A_durable_append_by_one_thread_is_one_write_and_one_sync()
    {
        Linux.OrSkip();
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = folder.Open(new SluiceLogOptions { Durability = LogDurability.Durable, Preallocate = false });
        log.Append(Records.Make(0, 0, 200));
        List<string> calls = [];
        SystemCallSteps.UseOwn((call, fd, length) =>
        {
            // The other calls ask whether the file has its name, and whether the file system lives.
            if (call is "fsync" or "futex" || (call == "pwrite" && length > 0))
            {
                calls.Add($"{call} {Path.GetFileName(OpenFiles.NameOf(fd))}");
            }

            return 0;
        });
        log.Append(Records.Make(0, 1, 200));
        SystemCallFaults.Use(null);
        calls.ShouldBe(["pwrite 0000000001.slog", "fsync 0000000001.slog", "pwrite log.state"]);
    }

    /// <summary>A segment that could not be begun is used for the next attempt.</summary>
    [Fact]
    public void A_segment_stays_the_next_one_until_it_has_begun()
    {
        using TempFolder folder = new();
        Directory.CreateDirectory(folder.Log);
        LogFolder files = new(folder.Log, SegmentNames.Framed);
        using (NextSegment next = new(files, SmallLog.Options.Check(), Guid.NewGuid(), 1))
        {
            SegmentFile first = next.Get();
            next.Make();
            next.Get().ShouldBeSameAs(first);
            files.List().ShouldBe([1]);
            next.Take();
            using SegmentFile second = next.Get();
            files.List().ShouldBe([1, 2]);
            next.Remove();
            files.List().ShouldBe([1]);
            first.Remove();
        }

        // Nor does the lock on one stay, which would keep the next writer out.
        using SluiceLog log = folder.Open(SmallLog.Options);
        log.NextSequence.ShouldBe(1);
    }

    /// <summary>A header without an opening before a segment that has begun is damage: the log would not open again.</summary>
    [SkippableFact]
    public void A_segment_whose_creation_fails_leaves_no_header_before_the_next_one()
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        LogFolder files = LogFolder.Make(folder.Log, SegmentNames.Framed);
        using NextSegment next = new(files, SmallLog.Options.Check(), Guid.NewGuid(), 1);

        bool mayBeEmptied = true;
        bool hasFailed = false;
        SystemCallFaults.Use((call, _, _) =>
        {
            bool fails = hasFailed ? call == "unlinkat" || (call == "ftruncate" && !mayBeEmptied) : call == "fsync";
            hasFailed |= fails;
            return fails ? -Errno.EIO : 0;
        });
        Should.Throw<IOException>(() => next.Get());
        new FileInfo(files.PathOf(1)).Length.ShouldBe(0);

        (mayBeEmptied, hasFailed) = (false, false);
        Should.Throw<IOException>(() => next.Get());
        Should.Throw<IOException>(() => next.Get());
        files.List().ShouldBe([1, 2], "no later segment is created as long as the second one has a header");

        SystemCallFaults.Use(null);
        using SegmentFile third = next.Get();
        files.List().ShouldBe([1, 3]);
    }

    /// <summary>How much of a segment is written, without what is reserved.</summary>
    private static long Of(TempFolder folder, int id)
    {
        using FileStream file = new(
            folder.PathOf($"{id:D10}.slog"), FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        byte[] bytes = new byte[file.Length];
        file.ReadExactly(bytes);
        return bytes.AsSpan().LastIndexOfAnyExcept((byte)0) + 1;
    }
}
