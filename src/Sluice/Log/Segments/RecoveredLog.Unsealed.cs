using Sluice.Log.Folders;

namespace Sluice.Log.Segments;

/// <summary>Segments that were full when their writer ended, and had no footer yet.</summary>
internal sealed partial class RecoveredLog
{
    /// <summary>Those of <see cref="Closed"/> that can be sealed: open, locked, on the disk, without reserved space.</summary>
    public List<SegmentFile> Unsealed { get; } = [];

    /// <summary>Opens and locks them. One that cannot be had for writing, or has been sealed since, stays as it is.</summary>
    private void OpenUnsealed(LogSettings settings)
    {
        foreach ((SegmentInfo info, SegmentEnd end) in _catalog.Unsealed)
        {
            int index = _catalog.Segments.IndexOf(info);
            if (index < 0 || index == _catalog.Segments.Count - 1)
            {
                // Not the log's, or what it is gone on with.
                continue;
            }

            try
            {
                SluiceHandle file = _folder.Open(info.Path, FileMode.Open, FileAccess.ReadWrite, settings);
                Unsealed.Add(SegmentFile.Resume(_folder, file, settings, info, end));
                WriterLock.TakeSegment(_folder.Path, file);
                if (SegmentInfo.Read(file, info.Id) is not { EndsWithFooter: false })
                {
                    LeaveLast();
                }
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                if (Unsealed is [.., var last] && last.Path == info.Path)
                {
                    LeaveLast();
                }
            }
        }

        void LeaveLast()
        {
            Unsealed[^1].Dispose();
            Unsealed.RemoveAt(Unsealed.Count - 1);
        }
    }

    /// <summary>
    /// Gives back what they had reserved. Behind their last frame is nothing of the log, whatever stands there. One whose end was taken
    /// back is of no use with a footer: nobody believes that without reading what comes before it.
    /// </summary>
    private void CutUnsealed()
    {
        foreach (SegmentFile segment in Unsealed)
        {
            segment.TryCutReserved();
            int index = Closed.FindIndex(c => c.Path == segment.Path);
            Closed[index] = Closed[index] with { Bytes = _folder.LookAt(segment.Path).Bytes };
            if (Closed[index].LastSequence < segment.LastSequence)
            {
                segment.Dispose();
            }
        }

        Unsealed.RemoveAll(s => Closed.Exists(c => c.Path == s.Path && c.LastSequence < s.LastSequence));
    }
}
