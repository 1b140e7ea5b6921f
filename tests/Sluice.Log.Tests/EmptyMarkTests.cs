using Sluice.Log.Folders;
using Sluice.Log.Frames;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>What <c>log.state</c> says of the newest segment: that it is on the disk, so that a later opening misses it.</summary>
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class EmptyMarkTests
{
    private const int ENOSPC = 28;

    /// <summary>
    /// The disk is full for as long as a segment is begun and has no record; while the one before it is flushed it gets one. It was not
    /// flushed with that.
    /// </summary>
    [SkippableFact]
    public void A_segment_that_gets_its_first_record_during_a_flush_is_not_called_durable()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        SluiceLogOptions options = new()
        {
            SegmentBytes = 4096,
            MaxRecordBytes = 1000,
            BufferBytes = 4000,
            Preallocate = false,
            FlushInterval = TimeSpan.FromHours(1),
            Durability = LogDurability.Written,
        };
        bool isFull = true;
        bool hasFailed = false;
        bool isFlushed = false;
        using SluiceLog log = SluiceLog.Open(folder.Log, options);
        SystemCallFaults.Use((call, fd, length) =>
        {
            string? path = fd < 0 ? null : File.ResolveLinkTarget($"/proc/self/fd/{fd}", returnFinalTarget: false)?.FullName;
            string name = Path.GetFileName(path) ?? "";
            if (call == "pwrite" && length > 500 && name == "0000000002.slog" && isFull)
            {
                hasFailed = true;
                return -ENOSPC;
            }

            if (call == "fsync" && name == "0000000001.slog" && hasFailed && isFull)
            {
                isFull = false;
                Task.Run(() => log.Append(Records.Make(0, 6, 900))).Wait();
            }

            // Its header is flushed when it is made; this is what comes behind the opening.
            if (call == "fsync" && name == "0000000002.slog" && new FileInfo(path!).Length > LogLayout.HeaderBytes)
            {
                isFlushed = true;
            }

            return 0;
        });
        try
        {
            for (int i = 0; i < 4; i++)
            {
                log.Append(Records.Make(0, i, 900));
            }

            Should.Throw<IOException>(() => log.Append(Records.Make(0, 4, 900)));
            log.WaitDurableAsync(4).AsTask().Wait(TimeSpan.FromMinutes(1)).ShouldBeTrue();
            isFull.ShouldBeFalse("the first segment was flushed before the second had begun");
            (isFlushed || LogState.TryRead(Path.Combine(folder.Log, LogFolder.StateName)) is { SegmentId: 1 }).ShouldBeTrue();
            log.Append(Records.Make(0, 7, 100), LogDurability.Durable);
            isFlushed.ShouldBeTrue();
        }
        finally
        {
            SystemCallFaults.Use(null);
        }

        Records.ReadAll(folder.Log).Select(static r => Records.Check(r.Bytes).Number).ShouldBe([0, 1, 2, 3, 6, 7]);
    }
}
