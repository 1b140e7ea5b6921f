using Sluice.Log.Folders;

namespace Sluice.Log.Segments;

/// <summary>The next segment of a log, which is created ahead or when it is needed.</summary>
/// <param name="folder">The log's folder.</param>
/// <param name="settings">The options.</param>
/// <param name="logId">The log's id.</param>
/// <param name="id">The id of the first segment that is created.</param>
internal sealed class NextSegment(LogFolder folder, SluiceLogOptions settings, Guid logId, long id) : IDisposable
{
    /// <summary>Held while a segment is created, so that ids ascend in the order of use.</summary>
    private readonly Lock _creating = new();

    private SegmentFile? _prepared;

    /// <summary>
    /// The path of a segment that has not begun and could not be removed. It counts as damage as soon as a later segment has begun.
    /// </summary>
    private string? _leftover;

    private long _nextId = id;

    /// <summary>The largest id that a segment has had. Thread-safe.</summary>
    public long LargestId => Volatile.Read(ref _nextId) - 1;

    /// <summary>
    /// Creates the segment, if it does not exist. It is locked, so that no other writer opens the log, but not yet on the disk.
    /// </summary>
    public void Make()
    {
        lock (_creating)
        {
            if (_prepared is not null)
            {
                return;
            }

            if (_leftover is { } leftover)
            {
                _ = folder.DeleteOrEmpty(leftover, settings);
                _leftover = null;
            }

            _prepared = SegmentFile.Create(folder, _nextId++, settings, logId);
            RemoveIfFails(_prepared.WriteHeader);
        }
    }

    /// <summary>
    /// Returns the next segment, which has no records and whose header and name are on the disk. It is created if necessary, and stays the
    /// next one until <see cref="Take"/>.
    /// </summary>
    public SegmentFile Get()
    {
        lock (_creating)
        {
            if (_prepared is { IsDeleted: true } deleted)
            {
                // Records in a deleted file would be lost.
                _prepared = null;
                deleted.Dispose();
            }

            Make();
            RemoveIfFails(_prepared!.FlushHeader);
            return _prepared;
        }
    }

    /// <summary>Called when the segment that <see cref="Get"/> returned has begun.</summary>
    public void Take()
    {
        lock (_creating)
        {
            _prepared = null;
        }
    }

    /// <summary>Removes the segment, if there is one.</summary>
    /// <param name="then">Called before another thread can create one.</param>
    public void Remove(Action? then = null)
    {
        lock (_creating)
        {
            if (_prepared is { } unused)
            {
                _prepared = null;
                TryRemove(unused);
            }

            then?.Invoke();
        }
    }

    public void Dispose() => _prepared?.Dispose();

    private void RemoveIfFails(Action step)
    {
        try
        {
            step();
        }
        catch
        {
            Remove();
            throw;
        }
    }

    private void TryRemove(SegmentFile segment)
    {
        try
        {
            segment.Remove();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            _leftover = segment.Path;
        }
    }
}
