using Sluice.Kernel;
using Sluice.Log.Folders;
using Sluice.Log.Segments;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>Dropping a tail says that what stays is durable.</summary>
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class TruncationTests
{
    /// <summary>The segment that takes a tail back says that what stays is on the disk: so it has to be.</summary>
    [SkippableFact]
    public void What_stays_is_on_the_disk_before_the_segment_that_drops_the_rest()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new();
        using SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options);
        for (int i = 0; i < 10; i++)
        {
            log.Append(Records.Make(0, i, 100), LogDurability.Written);
        }

        string first = Directory.GetFiles(folder.Log, "*.slog").Order(StringComparer.Ordinal).First();
        log.DurableSequence.ShouldBe(0);
        int thread = Environment.CurrentManagedThreadId;
        List<string> synced = [];
        SystemCallFaults.Use((call, fd, _) =>
        {
            if (call == "fsync" && Environment.CurrentManagedThreadId == thread
                && File.ResolveLinkTarget($"/proc/self/fd/{fd}", returnFinalTarget: false) is { } file)
            {
                synced.Add(file.FullName);
            }

            return 0;
        });
        try
        {
            log.TruncateAfter(9);
        }
        finally
        {
            SystemCallFaults.Use(null);
        }

        log.DurableSequence.ShouldBe(9);
        int own = synced.IndexOf(first);
        own.ShouldBeGreaterThanOrEqualTo(0, string.Join(' ', synced));
        own.ShouldBeLessThan(synced.FindIndex(name => name != first && name.EndsWith(".slog", StringComparison.Ordinal)));
    }

    /// <summary>Where what stays does not get to the disk, nothing is dropped, and nobody is told that it is durable.</summary>
    [SkippableFact]
    public void Nothing_is_dropped_where_what_stays_does_not_get_to_the_disk()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new();
        using (SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options))
        {
            for (int i = 0; i < 10; i++)
            {
                log.Append(Records.Make(0, i, 100), LogDurability.Written);
            }

            int thread = Environment.CurrentManagedThreadId;
            SystemCallFaults.Use((call, _, _) => call == "fsync" && Environment.CurrentManagedThreadId == thread ? -Errno.EIO : 0);
            try
            {
                Should.Throw<IOException>(() => log.TruncateAfter(9));
            }
            finally
            {
                SystemCallFaults.Use(null);
            }

            log.DurableSequence.ShouldBe(0);
            log.Append(Records.Make(0, 10, 100), LogDurability.Durable).ShouldBe(11);
        }

        Records.ShouldBeInOrder(Records.ReadAll(folder.Log), 1, 0);
        Records.ReadAll(folder.Log).Count.ShouldBe(11);
    }

    /// <summary>Also that of a segment which is full only when the log is closed.</summary>
    [SkippableFact]
    public void The_state_that_covers_a_footer_is_on_the_disk_before_it()
    {
        List<(string Name, bool IsSync)> calls = NoteCalls(static (log, note) =>
        {
            log.Append(Records.Make(0, 0, 100), LogDurability.Durable);
            log.Append(Records.Make(0, 1, 5000), LogDurability.Buffered);
            note(null);
            log.Dispose();
        });
        ShouldBeCovered(calls, "0000000001.slog");
    }

    /// <summary>Others fill a segment, and make it durable, just behind the sync of the state.</summary>
    [SkippableFact]
    public void A_segment_that_was_made_durable_behind_the_sync_of_the_state_is_sealed_behind_the_next()
    {
        List<(string Name, bool IsSync)> calls = NoteCalls(static (log, note) =>
        {
            log.Append(Records.Make(0, 0, 100), LogDurability.Durable);
            note(() =>
            {
                // By another thread: whoever writes the state is refused.
                Thread others = new(() =>
                {
                    log.Append(Records.Make(0, 2, 100), LogDurability.Durable);
                    log.Append(Records.Make(0, 3, 5000), LogDurability.Written);
                });
                others.Start();
                others.JoinInTime();
            });
            log.Append(Records.Make(0, 1, 5000), LogDurability.Written);
            string third = Path.Combine(log.Directory, "0000000003.slog");
            SpinWait.SpinUntil(
                () => File.Exists(third) && SegmentInfo.Read(third, 3) is { IsSealed: true }, TimeSpan.FromMinutes(1)).ShouldBeTrue();
        });
        ShouldBeCovered(calls, "0000000003.slog");
    }

    /// <summary>The last write to a segment is that of its footer.</summary>
    private static void ShouldBeCovered(List<(string Name, bool IsSync)> calls, string segment)
    {
        string all = string.Join(", ", calls);
        int footer = calls.FindLastIndex(c => !c.IsSync && c.Name == segment);
        footer.ShouldBeGreaterThan(0, all);
        int state = calls.FindLastIndex(footer, static c => c is { IsSync: false, Name: LogFolder.StateName });
        state.ShouldBeGreaterThanOrEqualTo(0, all);
        calls.FindIndex(state, static c => c is { IsSync: true, Name: LogFolder.StateName }).ShouldBeInRange(state, footer, all);
    }

    /// <summary>Writes and syncs of a log's files, as soon as they are to be noted.</summary>
    /// <param name="use">
    /// Uses a log that is closed then; says from where on calls are noted, and what is done once behind a sync of the state.
    /// </param>
    private static List<(string Name, bool IsSync)> NoteCalls(Action<SluiceLog, Action<Action?>> use)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new();
        SluiceLogOptions options = new()
        {
            SegmentBytes = 4096,
            MaxRecordBytes = 10_000,
            Preallocate = false,
            FlushInterval = TimeSpan.FromHours(1),
        };
        List<(string, bool)> calls = [];
        try
        {
            using SluiceLog log = SluiceLog.Open(folder.Log, options);
            use(log, behindSync => SystemCallFaults.Use((call, fd, length) =>
            {
                bool isSync = call == "fsync";
                if ((isSync || call.Contains("write", StringComparison.Ordinal))
                    && File.ResolveLinkTarget($"/proc/self/fd/{fd}", returnFinalTarget: false) is { } file
                    && Path.GetDirectoryName(file.FullName) == folder.Log)
                {
                    // Behind a sync comes a write of nothing, which asks whether the file system lives.
                    bool isQuestion = !isSync && length == 0;
                    if (!isQuestion)
                    {
                        lock (calls)
                        {
                            calls.Add((file.Name, isSync));
                        }
                    }
                    else if (file.Name == LogFolder.StateName)
                    {
                        Interlocked.Exchange(ref behindSync, null)?.Invoke();
                    }
                }

                return 0;
            }));
        }
        finally
        {
            SystemCallFaults.Use(null);
        }

        return calls;
    }

    /// <summary>
    /// A segment has its footer, and the keeper is about to let go of it, when a tail is dropped: without the footer it would be read as a
    /// whole at each opening, and never be compressed.
    /// </summary>
    [SkippableFact]
    public void A_segment_that_was_just_sealed_keeps_its_footer_when_a_tail_is_dropped()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        TimeSpan patience = TimeSpan.FromMinutes(1);
        using TempFolder folder = new();
        using ManualResetEventSlim isSealing = new();
        using ManualResetEventSlim isDropping = new();
        using ManualResetEventSlim mayGoOn = new();
        string first = Path.Combine(folder.Log, "0000000001.slog");
        using (SluiceLog log = SluiceLog.Open(
            folder.Log, new SluiceLogOptions { SegmentBytes = 4096, MaxRecordBytes = 5000, Preallocate = false }))
        {
            Exception? error = null;
            Thread drops = new(() => error = Record.Exception(() => log.TruncateAfter(2)));
            SystemCallFaults.Use((call, fd, _) =>
            {
                string? path = call == "fsync"
                    ? File.ResolveLinkTarget($"/proc/self/fd/{fd}", returnFinalTarget: false)?.FullName : null;
                if (path == first && new FileInfo(first).Length % 8 == 4)
                {
                    isSealing.Set();
                    mayGoOn.Wait(patience).ShouldBeTrue();
                }
                else if (path == Path.Combine(folder.Log, LogFolder.StateName) && Thread.CurrentThread == drops)
                {
                    // The mark says less: from here on the keeper comes no further than to let go of what it has sealed.
                    isDropping.Set();
                }

                return 0;
            });
            try
            {
                log.Append(Records.Make(0, 0, 3900), LogDurability.Durable);
                log.Append(Records.Make(0, 1, 300), LogDurability.Durable);
                log.Append(Records.Make(0, 2, 300), LogDurability.Durable);
                isSealing.Wait(patience).ShouldBeTrue();
                drops.Start();
                isDropping.Wait(patience).ShouldBeTrue();
                mayGoOn.Set();
                drops.JoinInTime();
                error.ShouldBeNull();
            }
            finally
            {
                mayGoOn.Set();
                SystemCallFaults.Use(null);
            }

            SegmentInfo.Read(first, 1).ShouldNotBeNull().IsSealed.ShouldBeTrue();
        }

        Records.ShouldBeInOrder(Records.ReadAll(folder.Log), 1, 0);
        Records.ReadAll(folder.Log).Count.ShouldBe(2);
    }

    /// <summary>A tail is dropped by making a segment and flushing it, which may take long.</summary>
    [SkippableFact]
    public async Task Who_appends_asynchronously_is_not_held_up_while_a_tail_is_dropped()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        TimeSpan patience = TimeSpan.FromMinutes(1);
        using TempFolder folder = new();
        using ManualResetEventSlim isDropping = new();
        using ManualResetEventSlim mayGoOn = new();
        using SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options);
        for (int i = 0; i < 4; i++)
        {
            log.Append(Records.Make(0, i, 100), LogDurability.Durable);
        }

        Exception? error = null;
        Thread drops = new(() => error = Record.Exception(() => log.TruncateAfter(2)));
        SystemCallFaults.Use((call, fd, _) =>
        {
            if (call == "fsync" && Thread.CurrentThread == drops
                && File.ResolveLinkTarget($"/proc/self/fd/{fd}", returnFinalTarget: false)?.Name == "0000000002.slog")
            {
                isDropping.Set();
                mayGoOn.Wait(patience).ShouldBeTrue();
            }

            return 0;
        });
        Task<long>? appended = null;
        Task<long>? batch = null;
        Task? flushed = null;
        Task? durable = null;
        try
        {
            drops.Start();
            isDropping.Wait(patience).ShouldBeTrue();
            Exception? refusal = null;
            Thread calls = new(() => refusal = Record.Exception(() =>
            {
                appended = log.AppendAsync(Records.Make(0, 2, 100), LogDurability.Durable).AsTask();
                batch = log.AppendBatchAsync(new ReadOnlyMemory<byte>[] { Records.Make(0, 3, 100) }, LogDurability.Durable).AsTask();
                flushed = log.FlushAsync().AsTask();
                durable = log.WaitDurableAsync(4).AsTask();
            }));
            calls.Start();
            calls.Join(patience).ShouldBeTrue("it waits for the tail to be dropped");
            refusal.ShouldBeNull();
            appended!.IsCompleted.ShouldBeFalse();
            batch!.IsCompleted.ShouldBeFalse();
        }
        finally
        {
            mayGoOn.Set();
            SystemCallFaults.Use(null);
            drops.JoinInTime();
        }

        error.ShouldBeNull();
        long[] sequences = [await appended.WaitAsync(patience), await batch.WaitAsync(patience)];
        sequences.ShouldBe([3, 4], ignoreOrder: true);
        await flushed!.WaitAsync(patience);
        await durable!.WaitAsync(patience);
        Records.ReadAll(folder.Log).Select(static r => r.Sequence).ShouldBe([1, 2, 3, 4]);
        Records.ReadAll(folder.Log).Select(static r => Records.Check(r.Bytes).Number).ShouldBe([0, 1, 2, 3], ignoreOrder: true);
    }

    /// <summary>A segment that is left when a tail is dropped needs no room for more records; and has as many bytes as it has.</summary>
    [Fact]
    public void The_space_that_a_left_segment_had_reserved_is_given_back()
    {
        using TempFolder folder = new();
        using (SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { SegmentBytes = 1 << 20 }))
        {
            for (int i = 0; i < 5; i++)
            {
                log.Append(Records.Make(0, 2 * i, 100), LogDurability.Durable);
                log.Append(Records.Make(0, (2 * i) + 1, 100), LogDurability.Durable);
                log.TruncateAfter(log.DurableSequence - 1);
            }

            string[] left = [.. Directory.GetFiles(folder.Log, "*.slog").Order(StringComparer.Ordinal).SkipLast(1)];
            left.Length.ShouldBeGreaterThanOrEqualTo(5);
            left.Where(static f => new FileInfo(f).Length > 8192).ShouldBeEmpty();
        }

        using SluiceLog again = SluiceLog.Open(folder.Log, new SluiceLogOptions { RetainBytes = 1 << 20 });
        again.FirstSequence.ShouldBe(1);
        again.NextSequence.ShouldBe(6);
    }
}
