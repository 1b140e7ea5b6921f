using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice.Log.Segments;

/// <summary>The closed segments, oldest first, and the selection of those to remove. Thread-safe.</summary>
/// <param name="folder">The log's folder.</param>
/// <param name="settings">The options.</param>
/// <param name="closed">The segments that are closed already.</param>
/// <param name="keepsNewest">
/// Returns true to keep the newest segment in any case, because only that segment determines where the log continues; null if none must be
/// kept.
/// </param>
internal sealed class SegmentRetention(
    LogFolder folder, SluiceLogOptions settings, IEnumerable<ClosedSegment> closed, Func<bool>? keepsNewest = null)
{
    /// <summary>Held while segments are removed.</summary>
    public Lock Removing { get; } = new();

    /// <summary>Guards the list. Not held during system calls.</summary>
    private readonly Lock _lock = new();
    private readonly List<ClosedSegment> _closed = [.. closed];

    /// <summary>The first sequence number of the oldest segment; null if there is none.</summary>
    public long? FirstSequence
    {
        get
        {
            lock (_lock)
            {
                return _closed.Count > 0 ? _closed[0].FirstSequence : null;
            }
        }
    }

    public void Add(ClosedSegment segment)
    {
        lock (_lock)
        {
            _closed.Add(segment);
        }
    }

    /// <summary>Returns the newest segment that matches a condition; null if there is none.</summary>
    public ClosedSegment? Newest(Predicate<ClosedSegment> predicate)
    {
        lock (_lock)
        {
            int index = _closed.FindLastIndex(predicate);
            return index < 0 ? null : _closed[index];
        }
    }

    /// <summary>Removes the segments with this id or a larger one from the list, but not their files.</summary>
    public void ForgetFrom(long id)
    {
        lock (_lock)
        {
            _closed.RemoveAll(s => s.Id >= id);
        }
    }

    /// <summary>Removes the segments that the options do not keep.</summary>
    public void Apply(DateTime utcNow)
    {
        using Lock.Scope removing = Removing.EnterScope();
        List<ClosedSegment> all = All();

        // The current segment counts as one.
        int tooMany = settings.RetainSegments is { } most ? all.Count + 1 - most : 0;
        long tooLarge = settings.RetainBytes is { } bytes ? all.Sum(static s => s.Bytes) - bytes : 0;
        HashSet<string> old = settings.RetainAge is { } age ? OlderThan(age, all, utcNow) : [];
        _ = RemoveWhile(all, s =>
        {
            bool goes = tooMany-- > 0 || tooLarge > 0 || old.Contains(s.Path);
            tooLarge -= s.Bytes;
            return goes;
        });
    }

    /// <summary>Removes segments durably, the oldest first, until one is not old. Returns the number of removed segments.</summary>
    public int RemoveWhile(Func<ClosedSegment, bool> isOld)
    {
        using Lock.Scope removing = Removing.EnterScope();
        return RemoveWhile(All(), isOld);
    }

    /// <summary>
    /// Returns the segments older than <paramref name="age"/>. Ignores times in the future, before 2026, or before the preceding segment's;
    /// such a segment counts as old as the next one with a usable time.
    /// </summary>
    private static HashSet<string> OlderThan(TimeSpan age, List<ClosedSegment> all, DateTime utcNow)
    {
        long now = LogLayout.ToNanoseconds(utcNow);
        long newest = LogLayout.FirstTime;
        long[] times = new long[all.Count];
        for (int i = 0; i < times.Length; i++)
        {
            long time = all[i].TimeBy(now);
            times[i] = time >= newest && time <= now ? newest = time : long.MaxValue;
        }

        long next = long.MaxValue;
        HashSet<string> old = [];
        for (int i = times.Length - 1; i >= 0; i--)
        {
            next = Math.Min(next, times[i]);
            _ = next < now - (long)age.TotalNanoseconds && old.Add(all[i].Path);
        }

        return old;
    }

    private List<ClosedSegment> All()
    {
        lock (_lock)
        {
            return [.. _closed];
        }
    }

    /// <summary>
    /// Removes files. A file that cannot be deleted is emptied, which releases its space; the next opening tries to delete it again. Files
    /// of a raw log are independent of one another and need not be emptied.
    /// </summary>
    private int RemoveWhile(List<ClosedSegment> all, Func<ClosedSegment, bool> isOld)
    {
        int passed = 0;
        int removed = 0;
        Exception? error = null;
        int most = all.Count - (keepsNewest?.Invoke() == true ? 1 : 0);
        try
        {
            for (; passed < most && isOld(all[passed]); passed++)
            {
                try
                {
                    if (all[passed].Copy is { } copy)
                    {
                        folder.Delete(copy);
                    }

                    if (settings.Format == LogFormat.Raw)
                    {
                        folder.Delete(all[passed].Path);
                    }
                    else
                    {
                        error = folder.DeleteOrEmpty(all[passed].Path, settings) ?? error;
                    }

                    removed++;
                }
                catch (Exception e) when (settings.Format == LogFormat.Raw && (e is IOException or UnauthorizedAccessException))
                {
                    error = e;
                }
                catch when (folder.LookAt(all[passed].Path) is { Bytes: 0 } || !folder.MayContain(all[passed].Path))
                {
                    // The file has no records any more, but perhaps not on the disk: later segments stay until the next removal.
                    passed++;
                    throw;
                }
            }
        }
        finally
        {
            lock (_lock)
            {
                _closed.RemoveRange(0, passed);
            }
        }

        if (removed > 0)
        {
            folder.FlushToDisk();
        }

        // Throws only now, so that the other old files are removed first. If several files failed, this is the last error.
        return error is null ? removed : throw error;
    }
}
