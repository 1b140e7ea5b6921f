using Sluice.Tests.Shared;
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
        Linux.OrSkip();
        using TempFolder folder = new();
        new SmallLog(60, isDurable: true).WriteTo(folder.Log);
        string last = folder.Segments.Max(StringComparer.Ordinal)!;
        if (isWholeSegment)
        {
            File.Delete(last);
        }
        else
        {
            using FileStream file = new(last, FileMode.Open);
            file.SetLength(file.Length - 20);
        }

        folder.OpenDamaged();
        List<string> calls = [];
        SystemCallFaults.Use((call, fd, length) =>
        {
            // Behind a sync comes a write of nothing, which asks whether the file system lives.
            bool isSync = call == "fsync";
            if ((isSync || (call.Contains("write", StringComparison.Ordinal) && length > 0))
                && OpenFiles.NameOf(fd)
                    == folder.PathOf(LogFolder.StateName))
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
            SluiceLogOptions accepting = SmallLog.With(o => o.AcceptLoss = true);
            using SluiceLog log = folder.Open(accepting);
            lock (calls)
            {
                calls.ShouldBe(["write", "sync"]);
            }
        }
        finally
        {
            SystemCallFaults.Use(null);
        }

        using SluiceLog again = folder.Open(SmallLog.Options);
        again.Cut.ShouldBeNull();
    }
}
