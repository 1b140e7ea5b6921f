using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice.Log.Segments;

/// <summary>What is done to a log once it was checked as a whole, and nobody else writes to it.</summary>
internal sealed partial class RecoveredLog
{
    /// <summary>
    /// A log that goes on behind records none of which is there says so by a segment that begins there: else it would have lost them anew
    /// for readers, and for the next writer.
    /// </summary>
    private void BeginBehindLoss()
    {
        if (Next is { } next && _catalog.Segments.Count == 0 && NextSequence > 1)
        {
            next.Begin(NextSequence, idBefore: 0, restarts: false, TookBack, LogLayout.ToNanoseconds(DateTime.UtcNow));
            next.FlushToDisk(next.Mark());
            (Current, Next) = (next, null);
        }
    }

    private void Mend(LogSettings settings)
    {
        // The newest first: who is killed here leaves none behind a gap.
        foreach (string path in _catalog.Superfluous.OrderByDescending(_folder.IdOf))
        {
            _ = _folder.DeleteOrEmpty(path, settings);
        }

        CutUnsealed();
        foreach (ClosedSegment segment in Closed)
        {
            // Found on the disk, and perhaps never synced by who wrote it.
            using SluiceHandle file = _folder.Open(segment.Path, FileMode.Open, FileAccess.Read);
            LogFile.Flush(file, settings);
        }

        _folder.FlushToDisk();
        if (_last is not null)
        {
            if (Cut is not null)
            {
                LogFile.SetLength(_lastFile!, _scanner!.Offset);
            }

            // Last: it says so where those before have come to nothing.
            LogFile.FlushData(_lastFile!, settings);
            Current = SegmentFile.Resume(_folder, _lastFile!, settings, _last, new SegmentEnd(_scanner!.Offset, _scanner.Chain, _index));
            Current.Reserve();
        }
    }
}
