using Sluice.Log.Folders;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>Dropping a tail says that what stays is durable.</summary>
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class TruncationTests
{
    /// <summary>Also that of a segment which is full only when the log is closed.</summary>
    [SkippableFact]
    public void The_state_that_covers_a_footer_is_on_the_disk_before_it()
    {
        List<(string Name, bool IsSync)> calls = NoteCalls(static (log, note) =>
        {
            log.Append(Records.Make(0, 0, 100), LogDurability.Durable);
            log.Append(Records.Make(0, 1, 5000), LogDurability.Buffered);
            note();
            log.Dispose();
        });
        ShouldBeCovered(calls, "0000000001.slog");
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
    /// <param name="use">Uses a log that is closed then; says from where on calls are noted.</param>
    private static List<(string Name, bool IsSync)> NoteCalls(Action<SluiceLog, Action> use)
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
            use(log, () => SystemCallFaults.Use((call, fd, length) =>
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
                && File.ResolveLinkTarget($"/proc/self/fd/{fd}", returnFinalTarget: false)?.Name == "log.truncate")
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
}
