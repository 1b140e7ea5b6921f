using Sluice.Log.Folders;

namespace Sluice.Log.Tests;

/// <summary>A roll beside somebody who removes what was made for it.</summary>
public sealed class RollTests
{
    private const int RecordBytes = 1000;

    /// <summary>
    /// Somebody has removed the segment that was made ahead: what is acknowledged is in one that is there, and no segment says that the
    /// other one is missing.
    /// </summary>
    [SkippableFact]
    public void A_segment_that_was_deleted_before_its_first_record_gets_none()
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        using (SluiceLog log = folder.Open(new SluiceLogOptions { SegmentBytes = 8 * RecordBytes, Preallocate = false }))
        {
            for (int i = 0; i < 40; i++)
            {
                log.Append(Records.Make(0, i, RecordBytes));
                if (i == 5)
                {
                    WaitFor(() => File.Exists(PathOf(folder, 2)));
                    File.Delete(PathOf(folder, 2));
                }
            }

            folder.ReadWritten().Count.ShouldBe(40);
        }

        folder.Open().Dispose();
        Records.ShouldBeInOrder(folder.ReadWritten(), 1, 0);
    }

    private static void WaitFor(Func<bool> condition) => Threads.WaitUntil(condition);

    private static string PathOf(TempFolder folder, long id) => new LogFolder(folder.Log, SegmentNames.Framed).PathOf(id);
}
