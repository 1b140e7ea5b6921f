using Sluice.Log.Folders;

namespace Sluice.Log.Segments;

/// <summary>
/// The segment that a log goes on in next: made ahead, or when it is needed; and what becomes of one that it cannot go on in.
/// </summary>
/// <param name="folder">The log's.</param>
/// <param name="settings">The options.</param>
/// <param name="logId">The log's id.</param>
/// <param name="id">Of the first segment that is made.</param>
/// <param name="prepared">One that is there; null for none.</param>
internal sealed class NextSegment(LogFolder folder, LogSettings settings, Guid logId, long id, SegmentFile? prepared) : IDisposable
{
    /// <summary>Held while a segment is made, so that ids and their order of use agree.</summary>
    private readonly Lock _making = new();

    /// <summary>What has come to nothing, as long as it is not known to be gone on the disk; for whoever has the write stage.</summary>
    private SegmentFile? _withdrawn;

    /// <summary>Whether that takes back what others have, or would after a power cut.</summary>
    private bool _takesBack;
    private SegmentFile? _prepared = prepared;
    private long _nextId = id;

    /// <summary>Makes it ahead.</summary>
    public void Prepare()
    {
        using (_making.EnterAlways())
        {
            _prepared ??= Make();
        }
    }

    /// <summary>The segment, which nobody has written to.</summary>
    public SegmentFile Take()
    {
        using (_making.EnterAlways())
        {
            if (_prepared is { IsDeleted: true } deleted)
            {
                // By somebody else: what would be written there would be nobody's.
                _prepared = null;
                deleted.Dispose();
            }

            // Only now: on a file system that has died the question is answered by an exception, and the file is still this one's.
            SegmentFile? next = _prepared;
            _prepared = null;
            return next ?? Make();
        }
    }

    /// <summary>After the last record: none is needed.</summary>
    public void Remove()
    {
        using (_making.EnterAlways())
        {
            _prepared?.Remove();
            _prepared = null;
        }
    }

    /// <summary>
    /// Removes one that could not be begun, or was to take records back and has come to nothing, now or in <see cref="RemoveFailed"/>. No
    /// other segment of this writer gets its number.
    /// </summary>
    /// <param name="next">The segment.</param>
    /// <param name="takesBack">Whether it takes back what others have, as long as it is there.</param>
    public void Withdraw(SegmentFile next, bool takesBack)
    {
        // First: whatever comes of it, it is not lost sight of.
        _withdrawn = next;
        Volatile.Write(ref _takesBack, takesBack);
        try
        {
            next.Delete();
            FlushRemoved(next);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
        }
    }

    /// <summary>
    /// Before anything is written behind a <see cref="Withdraw"/> that failed: it is gone on the disk. Where names cannot be removed it is
    /// enough that it is nothing any more; it is for the next opening to remove it.
    /// </summary>
    /// <exception cref="IOException">It cannot be removed, or the folder cannot be flushed.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be removed.</exception>
    public void RemoveFailed()
    {
        if (_withdrawn is { } segment)
        {
            try
            {
                segment.Delete();
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                if (!segment.TryEmptyOnDisk())
                {
                    throw;
                }

                LetGo(segment);
                return;
            }

            FlushRemoved(segment);
        }
    }

    /// <summary>Before anything is acknowledged as durable; any thread may ask.</summary>
    /// <exception cref="IOException">What takes it back is still there, or may be there again after a power cut.</exception>
    public void ThrowIfTakenBack()
    {
        if (Volatile.Read(ref _takesBack))
        {
            throw new IOException($"A segment of '{folder.Path}' could not be removed, and what it takes back would not be durable.");
        }
    }

    public void Dispose()
    {
        _prepared?.Dispose();
        _withdrawn?.Remove();
    }

    /// <summary>
    /// A power cut may bring a name back that was removed, and then the segment would take back, or stand before, what is written from now
    /// on.
    /// </summary>
    private void FlushRemoved(SegmentFile segment)
    {
        folder.FlushToDisk();

        // While it is open: it alone can tell whether the file system still lived at the end of that.
        segment.FlushRemoved();
        LetGo(segment);
    }

    private void LetGo(SegmentFile segment)
    {
        _withdrawn = null;
        Volatile.Write(ref _takesBack, false);
        segment.Dispose();
    }

    private SegmentFile Make() => SegmentFile.Create(folder, _nextId++, settings, logId);
}
