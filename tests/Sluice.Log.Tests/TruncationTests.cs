using Sluice.Kernel;
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
