using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>A reader that a writer overtakes between two of its system calls.</summary>
[Collection(nameof(AloneCollection))]
public sealed class OvertakenTests : IDisposable
{
    public void Dispose() => SystemCallFaults.Use(null);

    /// <summary>Each time that it has listed the folder and opens a file, all that it has listed is removed.</summary>
    [SkippableTheory]
    [InlineData(1)]
    [InlineData(12)]
    [InlineData(40)]
    public void It_is_told_of_no_loss_where_all_that_it_has_listed_is_removed_before_it_looks(int times)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions
        {
            SegmentBytes = 4096,
            MaxRecordBytes = 1000,
            BufferBytes = 4000,
            Preallocate = false,
            RetainSegments = 1,
            Durability = LogDurability.Durable,
        });
        int number = 0;
        int overtaken = 0;
        void Append(int count)
        {
            for (int i = 0; i < count; i++)
            {
                log.Append(Records.Make(0, number++, 900));
            }
        }

        Append(1);
        using SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { SkipDamage = true });
        reader.TryRead(out LogEntry first).ShouldBeTrue();
        first.Sequence.ShouldBe(1);
        Append(10);
        int thread = Environment.CurrentManagedThreadId;
        bool isInside = false;
        SystemCallFaults.Use((call, _, _) =>
        {
            if (call is "openat" or "openat2" && Environment.CurrentManagedThreadId == thread && !isInside && overtaken < times)
            {
                isInside = true;
                Append(20);
                isInside = false;
                overtaken++;
            }

            return 0;
        });
        long last = 1;
        while (reader.TryRead(out LogEntry entry))
        {
            entry.Sequence.ShouldBeGreaterThan(last);
            last = entry.Sequence;
            Records.Check(entry.Bytes).Number.ShouldBe((int)last - 1);
        }

        overtaken.ShouldBe(times);
        last.ShouldBe(number);
        reader.Damage.ShouldAllBe(static d => d.Reason.Contains("removed before it was read", StringComparison.Ordinal));
    }
}
