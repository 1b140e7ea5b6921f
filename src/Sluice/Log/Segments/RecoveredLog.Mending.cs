using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice.Log.Segments;

/// <summary>What is done to a log once it was checked as a whole, and nobody else writes to it.</summary>
internal sealed partial class RecoveredLog
{
    private const string CutExtension = ".cut";
    private const int SaveBytes = 1024 * 1024;

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
            if (_catalog.LostSegments.Contains(path))
            {
                using SluiceHandle? lost = TryOpen(path);
                _ = lost is null ? null : Save(lost, 0, settings);
            }

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
                Cut = Cut with { SavedAs = Save(_lastFile!, _scanner!.Offset, settings) };
                LogFile.SetLength(_lastFile!, _scanner.Offset);
            }

            // Last: it says so where those before have come to nothing.
            LogFile.FlushData(_lastFile!, settings);
            Current = SegmentFile.Resume(_folder, _lastFile!, settings, _last, new SegmentEnd(_scanner!.Offset, _scanner.Chain, _index));
            Current.Reserve();
        }
    }

    /// <summary>Copies what is to be removed from a segment to a file beside the log, which nobody reads.</summary>
    /// <returns>The path, or null if there is nothing but zeros or the copy could not be written.</returns>
    private string? Save(SluiceHandle segment, long offset, LogSettings settings)
    {
        long end = offset + FrameScanner.CountUnwrittenBytes(segment, offset);
        if (end == offset)
        {
            return null;
        }

        string path = Path.ChangeExtension(segment.Path, CutExtension);
        for (int i = 2; File.Exists(path); i++)
        {
            path = Path.ChangeExtension(segment.Path, $".{i}{CutExtension}");
        }

        try
        {
            using SluiceHandle copy = _folder.Open(path, FileMode.CreateNew, FileAccess.ReadWrite, settings);
            byte[] buffer = new byte[Math.Min(end - offset, SaveBytes)];
            for (long at = offset; at < end;)
            {
                int read = segment.Read(buffer.AsSpan(0, (int)Math.Min(buffer.Length, end - at)), at);
                LogFile.Write(copy, buffer.AsSpan(0, read), at - offset);
                at += read > 0 ? read : end;
            }

            LogFile.Flush(copy, settings);
            return path;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // A full disk must not keep the log from being opened.
            _ = _folder.TryDelete(path);
            return null;
        }
    }
}
