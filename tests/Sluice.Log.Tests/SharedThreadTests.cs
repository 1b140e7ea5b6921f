using Sluice.Tests.Shared;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>Many logs in one process share threads, and hold nothing before they are used.</summary>
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class SharedThreadTests : IDisposable
{
    private const int Logs = 100;
    private const int MaxThreads = 4;
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);
    private static readonly SluiceLogOptions s_options = new() { SegmentBytes = 1 << 20, FlushInterval = TimeSpan.FromMilliseconds(1) };

    public void Dispose() => SystemCallFaults.Use(null);

    [SkippableFact]
    public async Task A_hundred_logs_share_four_threads()
    {
        Linux.OrSkip();
        using TempFolder folder = new(isInMemory: true);
        SluiceLog[] logs = [.. Enumerable.Range(0, Logs).Select(i => SluiceLog.Open($"{folder.Log}{i}", s_options))];
        try
        {
            for (int round = 1; round <= 3; round++)
            {
                foreach (SluiceLog log in logs)
                {
                    (await log.AppendAsync(Records.Make(0, round, 100), LogDurability.Durable)).ShouldBe((round * 2) - 1);
                    log.Append(Records.Make(0, round, 100), LogDurability.Buffered);
                }
            }

            Threads.WaitUntil(() => logs.All(static log => log.WrittenSequence == 6));
            Threads.WaitUntil(() => LogThreads() <= MaxThreads);
        }
        finally
        {
            Array.ForEach(logs, static log => log.Dispose());
        }
    }

    /// <summary>No matter how many logs have a disk that does not respond.</summary>
    [SkippableFact]
    public async Task A_log_whose_disk_does_not_respond_holds_no_other_up()
    {
        const int held = 12;
        Linux.OrSkip();
        using TempFolder folder = new(isInMemory: true);
        using ManualResetEventSlim responds = new();
        SluiceLog[] logs = [.. Enumerable.Range(0, held).Select(i => SluiceLog.Open($"{folder.Log}{i}", s_options))];
        using SluiceLog other = SluiceLog.Open(Path.Combine(folder.Root, "other"), s_options);
        Array.ForEach(logs, static log => log.Append(Records.Make(0, 0, 100), LogDurability.Durable));
        SystemCallFaults.Use((call, fd, _) =>
        {
            string? path = call == "fsync" ? OpenFiles.NameOf(fd) : null;
            if (path?.StartsWith(folder.Log, StringComparison.Ordinal) == true)
            {
                responds.Wait(Patience).ShouldBeTrue();
            }

            return 0;
        });
        Task<long>[] waiting = [.. logs.Select(static log => log.AppendAsync(Records.Make(0, 1, 100), LogDurability.Durable).AsTask())];
        for (int i = 1; i < 20; i += 2)
        {
            (await other.AppendAsync(Records.Make(0, i, 100), LogDurability.Durable).AsTask().WaitAsync(Patience)).ShouldBe(i);
            other.Append(Records.Make(0, i + 1, 100), LogDurability.Buffered);
            Threads.WaitUntil(() => other.WrittenSequence > i);
        }

        waiting.ShouldAllBe(static task => !task.IsCompleted);
        responds.Set();
        (await Task.WhenAll(waiting).WaitAsync(Patience)).ShouldAllBe(static sequence => sequence == 2);
        SystemCallFaults.Use(null);
        Array.ForEach(logs, static log => log.Dispose());
    }

    [Fact]
    public void Memory_and_disk_space_are_reserved_by_the_first_append()
    {
        const int small = 1 << 20;
        using TempFolder folder = new();
        for (int run = 0; run < 3; run++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            using SluiceLog log = folder.Open();
            (GC.GetAllocatedBytesForCurrentThread() - before).ShouldBeLessThan(small);
            folder.Files.ShouldAllBe(static f => new FileInfo(f).Length < small);
            log.Append(Records.Make(0, run, 100));
            folder.Files.ShouldContain(static f => new FileInfo(f).Length == 256 << 20);
        }

        Records.ShouldBeInOrder(folder.ReadAll(), 1, 0);
    }

    private static int LogThreads() =>
        Directory.GetDirectories("/proc/self/task").Count(static thread =>
        {
            try
            {
                return File.ReadAllText(Path.Combine(thread, "comm")).StartsWith("Sluice log", StringComparison.Ordinal);
            }
            catch (IOException)
            {
                // It has ended since it was listed.
                return false;
            }
        });
}
