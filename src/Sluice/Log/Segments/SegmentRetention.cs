using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice.Log.Segments;

/// <summary>The segments that are not written any more, oldest first, and which of them are to go. Thread-safe.</summary>
/// <param name="folder">The log's.</param>
/// <param name="settings">The options.</param>
/// <param name="closed">Those that there are.</param>
/// <param name="keepsNewest">Whether the newest stays for now in any case: without it nothing would say where the log goes on.</param>
internal sealed class SegmentRetention(
    LogFolder folder, LogSettings settings, IEnumerable<ClosedSegment> closed, Func<bool>? keepsNewest = null)
{
    /// <summary>Held while files are removed or get their names; taken before <see cref="_lock"/>.</summary>
    private readonly Lock _removing = new();

    /// <summary>Guards the list, and is held for no system call.</summary>
    private readonly Lock _lock = new();
    private readonly List<ClosedSegment> _closed = [.. closed];

    /// <summary>Files that were taken back as a whole, and are still there: what took them back stays until they are empty, at
    /// least.</summary>
    private readonly List<(string Path, long Id, bool IsEmpty)> _takenBack = [];

    /// <summary>Of the oldest; null where there is none.</summary>
    public long? FirstSequence
    {
        get
        {
            using (_lock.EnterAlways())
            {
                return _closed.Count > 0 ? _closed[0].FirstSequence : null;
            }
        }
    }

    /// <summary>
    /// Has the memory now that <see cref="Add"/> needs for some segments, and <see cref="RemoveFrom"/> and <see cref="AddTakenBack"/> for
    /// these and what begins at a record or later. Nobody else adds any meanwhile.
    /// </summary>
    public void Reserve(int segments, long sequence)
    {
        using (_lock.EnterAlways())
        {
            int goes = 0;
            while (goes < _closed.Count && _closed[^(goes + 1)].FirstSequence >= sequence)
            {
                goes++;
            }

            _closed.EnsureCapacity(_closed.Count + segments);
            _takenBack.EnsureCapacity(_takenBack.Count + segments + (2 * goes));
        }
    }

    public void Add(ClosedSegment segment)
    {
        using (_lock.EnterAlways())
        {
            _closed.Add(segment);
        }
    }

    /// <summary>Notes a file that was taken back as a whole and could not be removed: it goes before any segment behind it
    /// does.</summary>
    public void AddTakenBack(string path, long id)
    {
        using (_lock.EnterAlways())
        {
            _takenBack.Add((path, id, IsEmpty: false));
        }
    }

    /// <summary>The newest for which something holds; null where there is none.</summary>
    public ClosedSegment? Newest(Predicate<ClosedSegment> predicate)
    {
        List<ClosedSegment> all = All();
        int index = all.FindLastIndex(predicate);
        return index < 0 ? null : all[index];
    }

    /// <summary>Puts a segment in the place of the one with a path; false where that one is not kept any
    /// more.</summary>
    /// <param name="path">Of the segment as it was.</param>
    /// <param name="change">What it is from now on.</param>
    public bool TryChange(string path, Func<ClosedSegment, ClosedSegment> change)
    {
        using Lock.Scope removing = _removing.EnterAlways();
        int index = All().FindIndex(s => s.Path == path);
        if (index < 0)
        {
            return false;
        }

        using (_lock.EnterAlways())
        {
            // Others only add, behind it.
            _closed[index] = change(_closed[index]);
        }

        return true;
    }

    /// <summary>Removes what the options do not keep.</summary>
    public void Apply(DateTime utcNow)
    {
        using Lock.Scope removing = _removing.EnterAlways();
        List<ClosedSegment> all = All();

        // The segment that is written counts as one.
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

    /// <summary>Removes the oldest as long as they are old, durably; how many.</summary>
    public int RemoveWhile(Func<ClosedSegment, bool> isOld)
    {
        using Lock.Scope removing = _removing.EnterAlways();
        return RemoveWhile(All(), isOld);
    }

    /// <summary>
    /// Removes those that begin at a record or later: they were taken back, as the end of the one before them may be. The newest first, so
    /// that a crash leaves no gap. After <see cref="Reserve"/> it does not fail: what there is no memory to remove stays, as what cannot be
    /// removed does.
    /// </summary>
    public void RemoveFrom(long sequence)
    {
        using Lock.Scope removing = _removing.EnterAlways();
        while (Newest() is { } newest && newest.FirstSequence >= sequence)
        {
            TryDelete(newest.Path, newest.Id);
            if (newest.Copy is { } copy)
            {
                TryDelete(copy, newest.Id);
            }

            using (_lock.EnterAlways())
            {
                _closed.RemoveAt(_closed.Count - 1);
            }
        }

        using (_lock.EnterAlways())
        {
            if (_closed is [.., var last] && last.LastSequence >= sequence)
            {
                _closed[^1] = last with { LastSequence = sequence - 1 };
            }
        }
    }

    /// <summary>
    /// Those that must be older, whatever the clock said for once. A time to come is not believed, nor is one before that of an earlier
    /// segment, or before there were such logs: what has none that is believed is older than the next one that has.
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

    private void TryDelete(string path, long id)
    {
        if (!folder.TryDelete(path))
        {
            AddTakenBack(path, id);
        }
    }

    private ClosedSegment? Newest()
    {
        using (_lock.EnterAlways())
        {
            return _closed is [.., var newest] ? newest : null;
        }
    }

    private List<ClosedSegment> All()
    {
        using (_lock.EnterAlways())
        {
            return [.. _closed];
        }
    }

    private int RemoveWhile(List<ClosedSegment> all, Func<ClosedSegment, bool> isOld)
    {
        folder.Confirm();
        int passed = 0;
        int removed = 0;
        Exception? left = null;
        int most = all.Count - (keepsNewest?.Invoke() == true ? 1 : 0);
        try
        {
            for (; passed < most && isOld(all[passed]); passed++)
            {
                left = RemoveTakenBack(before: all[passed].Id) ?? left;
                try
                {
                    if (all[passed].Copy is { } copy)
                    {
                        folder.Delete(copy);
                    }

                    folder.Delete(all[passed].Path);
                    removed++;
                }
                catch (Exception e) when (settings.Format == LogFormat.Raw && e is IOException or UnauthorizedAccessException)
                {
                    // The files of a raw log do not depend on one another: the others are removed.
                    left = e;
                }
            }
        }
        finally
        {
            using (_lock.EnterAlways())
            {
                _closed.RemoveRange(0, passed);
            }
        }

        if (removed > 0)
        {
            folder.FlushToDisk();
        }

        // Told once, when the rest is done.
        return left is null ? removed : throw left;
    }

    /// <summary>
    /// Removed durably, or emptied where a name cannot be removed, where what goes next may be what took them back: that has a larger id.
    /// What is older than all of them goes in any case.
    /// </summary>
    /// <returns>Why one is still there, and empty since now; null where none is.</returns>
    /// <exception cref="IOException">One is still there as it was; the others have gone.</exception>
    /// <exception cref="UnauthorizedAccessException">One is still there as it was; the others have gone.</exception>
    private Exception? RemoveTakenBack(long before)
    {
        (string Path, long Id, bool IsEmpty)[] files;
        using (_lock.EnterAlways())
        {
            files = [.. _takenBack.Where(t => t.Id < before)];
        }

        Exception? left = null;
        Exception? error = null;
        List<string> gone = [];
        List<string> emptied = [];
        foreach ((string path, _, bool isEmpty) in files)
        {
            try
            {
                if (isEmpty)
                {
                    // Told of when it was emptied: it harms nobody.
                    gone.AddRange(folder.TryDelete(path) ? [path] : []);
                }
                else if (folder.DeleteOrEmpty(path, settings) is { } reason)
                {
                    left = reason;
                    emptied.Add(path);
                }
                else
                {
                    gone.Add(path);
                }
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                error = e;
            }
        }

        if (gone.Count + emptied.Count > 0)
        {
            folder.FlushToDisk();
            using (_lock.EnterAlways())
            {
                _takenBack.RemoveAll(t => gone.Contains(t.Path));
                for (int i = 0; i < _takenBack.Count; i++)
                {
                    (string path, long id, bool isEmpty) = _takenBack[i];
                    _takenBack[i] = (path, id, isEmpty || emptied.Contains(path));
                }
            }
        }

        return error is null ? left : throw error;
    }
}
