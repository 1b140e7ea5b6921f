using Sluice.Log.Folders;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>A loss that was accepted is accepted once for all.</summary>
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class AcceptedLossTests
{
    /// <summary>Else what is made durable from now on would be refused after a power cut, which brings the old state back.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public void The_state_without_what_was_lost_is_on_the_disk_before_the_first_append(bool isWholeSegment)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new();
        new SmallLog(60, isDurable: true).WriteTo(folder.Log);
        string last = Directory.GetFiles(folder.Log, "*.slog").Max(StringComparer.Ordinal)!;
        if (isWholeSegment)
        {
            File.Delete(last);
        }
        else
        {
            using FileStream file = new(last, FileMode.Open);
            file.SetLength(file.Length - 20);
        }

        Should.Throw<SluiceLogDamagedException>(() => SluiceLog.Open(folder.Log, SmallLog.Options));
        List<string> calls = [];
        SystemCallFaults.Use((call, fd, length) =>
        {
            // Behind a sync comes a write of nothing, which asks whether the file system lives.
            bool isSync = call == "fsync";
            if ((isSync || (call.Contains("write", StringComparison.Ordinal) && length > 0))
                && File.ResolveLinkTarget($"/proc/self/fd/{fd}", returnFinalTarget: false)?.FullName
                    == Path.Combine(folder.Log, LogFolder.StateName))
            {
                lock (calls)
                {
                    calls.Add(isSync ? "sync" : "write");
                }
            }

            return 0;
        });
        try
        {
            SluiceLogOptions accepting = new() { SegmentBytes = 4096, MaxRecordBytes = 1000, Preallocate = false, AcceptLoss = true };
            using SluiceLog log = SluiceLog.Open(folder.Log, accepting);
            lock (calls)
            {
                calls.ShouldBe(["write", "sync"]);
            }
        }
        finally
        {
            SystemCallFaults.Use(null);
        }

        using SluiceLog again = SluiceLog.Open(folder.Log, SmallLog.Options);
        again.Cut.ShouldBeNull();
    }
}
