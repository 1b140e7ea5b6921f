using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>Readers of a log to whose files something happens between two of their looks.</summary>
[Trait("Tier", "slow")]
public sealed class LogSeamTests : HostileTests
{
    /// <summary>A sandbox may refuse the call by which threads sleep, and the kernel may wake them for nothing.</summary>
    [LinuxTheory]
    [InlineData(Errno.ENOSYS, LogDurability.Durable)]
    [InlineData(Errno.EPERM, LogDurability.Written)]
    [InlineData(Errno.EINTR, LogDurability.Durable)]
    [InlineData(Errno.EAGAIN, LogDurability.Written)]
    public void Threads_that_may_not_sleep_are_served_all_the_same(int errno, LogDurability durability)
    {
        const int threads = 8;
        const int each = 50;
        string folder = Temp.NewPath();
        int asked = 0;
        int ended = 0;
        using (SluiceLog log = SluiceLog.Open(folder))
        {
            SystemCallFaults.Use((call, _, _) =>
            {
                if (call == "fsync")
                {
                    // So long that others fall asleep meanwhile: the first one until somebody has.
                    _ = durability == LogDurability.Durable
                        && SpinWait.SpinUntil(() => Volatile.Read(ref asked) > 0, Watchdog.Patience);
                    Thread.Sleep(1);
                }

                return call == "futex" && Interlocked.Increment(ref asked) > 0 ? -errno : 0;
            });
            Thread[] appending = [.. Enumerable.Range(0, threads).Select(t => new Thread(() =>
            {
                for (int i = 0; i < each; i++)
                {
                    log.Append(Bytes.Pattern(100, t), durability);
                    log.WrittenSequence.ShouldBeGreaterThan(i);
                }

                Interlocked.Increment(ref ended);
            }))];
            Array.ForEach(appending, static t => t.Start());
            Array.ForEach(appending, static t => t.Join());
            SystemCallFaults.Use(null);
        }

        ended.ShouldBe(threads);
        (asked > 0 || durability == LogDurability.Written).ShouldBeTrue();
        using SluiceLogReader reader = new(folder);
        int found = 0;
        while (reader.TryRead(out LogEntry entry))
        {
            entry.Sequence.ShouldBe(++found);
        }

        found.ShouldBe(threads * each);
    }

    /// <summary>The reader finds the file of the next segment empty, and then with everything in it.</summary>
    [LinuxTheory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_segment_that_is_made_between_two_looks_of_a_reader_is_no_damage(int look)
    {
        string folder = Temp.NewPath();
        const int count = 10;
        using (SluiceLog log = SluiceLog.Open(folder, new SluiceLogOptions { SegmentBytes = 4096, MaxRecordBytes = 1000 }))
        {
            for (int i = 0; i < count; i++)
            {
                log.Append(Bytes.Pattern(900), LogDurability.Durable);
            }
        }

        string second = Directory.GetFiles(folder, "*.slog").Order(StringComparer.Ordinal).ElementAt(1);
        byte[] content = File.ReadAllBytes(second);
        File.WriteAllBytes(second, []);
        foreach (string later in Directory.GetFiles(folder, "*.slog").Where(f => string.CompareOrdinal(f, second) > 0))
        {
            File.Delete(later);
        }

        // What is gone is the end of the log, and no state says otherwise.
        File.Delete(Path.Combine(folder, "log.state"));
        int looks = 0;
        SystemCallFaults.Use((call, fd, length) =>
        {
            if (length > 0 && call.Contains("read", StringComparison.Ordinal)
                && OpenFiles.NameOf(fd) == second
                && ++looks == look)
            {
                File.WriteAllBytes(second, content);
            }

            return 0;
        });
        using SluiceLogReader reader = new(folder, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
        int found = 0;
        for (int tries = 0; tries < 3; tries++)
        {
            while (reader.TryRead(out LogEntry entry))
            {
                entry.Sequence.ShouldBe(++found);
            }
        }

        SystemCallFaults.Use(null);
        looks.ShouldBeGreaterThanOrEqualTo(look);
        found.ShouldBeGreaterThan(4);
    }
}
