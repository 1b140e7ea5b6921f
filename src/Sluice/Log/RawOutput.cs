using System.IO.Compression;
using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Log.Folders;
using Sluice.Log.Segments;
using Sluice.Log.Appending;
using Sluice.Uring;

namespace Sluice.Log;

/// <summary>
/// Files that contain only the bytes of the records. Each page is appended to the newest file in one write; on Linux, other processes may
/// append to it as well. A process that finds a file full continues in the next one, and creates it if necessary.
/// </summary>
internal sealed class RawOutput : LogOutput
{
    private readonly LogFolder _folder;
    private readonly SluiceLogOptions _settings;
    private readonly Lock _files = new();

    /// <summary>The full files that no sync has made durable.</summary>
    private readonly List<SluiceHandle> _unsynced = [];

    /// <summary>
    /// The files that the next <see cref="Sync"/> flushes, set by <see cref="BeginSync"/>. The last one was the current file then.
    /// </summary>
    private readonly List<SluiceHandle> _filesToSync = [];
    private SluiceHandle _current;

    /// <summary>The name of the current file, which is looked up with each sync.</summary>
    private byte[] _currentName = [];
    private byte[] _nameAtSync = [];
    private AppendTarget? _end;
    private long _id;
    private DateTime _utc;

    /// <summary>The time at which the period in the name of the current file ends.</summary>
    private DateTime _rollAt;
    private long _writtenAtSync;
    private long _written;
    private long _durable;

    /// <summary>
    /// The number of bytes of the current page that were written. It stays if the write of the rest fails, so that the next call of
    /// <see cref="Write"/> for the page continues there; otherwise, it is reset to 0.
    /// </summary>
    private int _done;
    private bool _rolled;

    /// <summary>
    /// True if the name of a written file may not be on the disk. This also applies to the file that was found when the log was opened.
    /// Used by the thread that writes.
    /// </summary>
    private bool _hasNewName = true;

    /// <summary>True if the next sync flushes the folder first. Used by the thread that syncs.</summary>
    private bool _flushesFolder;

    /// <summary>True if the current file was moved away or cannot become longer: later records go to another one.</summary>
    private bool _mustLeave;

    /// <summary>The path of a file with records that were not synced when it was moved away, until a caller is told; else null.</summary>
    private string? _lost;

    /// <summary>
    /// The time of the last check of the current file, with its results in the next two fields; -1 if the file was written to since.
    /// </summary>
    private long _checkedMs = -1;
    private long _length;
    private bool _hasNoName;

    /// <summary>The creation time of the current file, and the monotonic time at which it was opened here.</summary>
    private DateTime _madeUtc;
    private long _sinceMs;

    public RawOutput(LogFolder folder, SluiceLogOptions settings)
    {
        (_folder, _settings) = (folder, settings);
        Compressor = settings.Compression == CompressionLevel.NoCompression ? null : new SegmentCompressor(folder, settings, Full, e => LastError = e);
        (_current, long id, DateTime utc) = OpenNewest();
        SetName(id, utc);
        try
        {
            if (Libc.IsSupported)
            {
                SegmentCompressor.RemoveLeftovers(folder, settings, Full());
            }

            _end = EndOf(_current);
        }
        catch
        {
            LogFile.TryClose(_current);
            throw;
        }
    }

    private DateTime Now => _settings.Clock.GetUtcNow().UtcDateTime;

    public override int PageStart => 0;

    public override int RecordHeaderBytes => 0;

    public override bool NeedsHousekeeping => Volatile.Read(ref _rolled);

    public override bool HasFull => _unsynced.Count > 0;

    public override bool HasTooManyFull => _unsynced.Count >= Tuning.LogFullSegments;

    public override long DurableSequence => _durable;

    public override void Write(LogPage page)
    {
        while (true)
        {
            if (_done == 0)
            {
                GoToNewest();
            }

            _checkedMs = -1;
            try
            {
                AppendRest(page);
            }
            catch (IOException e) when (e.HResult == Errno.EFBIG && _length > 0)
            {
                // The file system allows no longer file: the rest of the page goes to the next one.
                Volatile.Write(ref _mustLeave, true);
                GoToNewest();
                continue;
            }

            Look();
            if (!_hasNoName)
            {
                break;
            }

            // The file was deleted: no program can read what was appended to it.
            _done = 0;
        }

        _done = 0;
        _written = page.FirstSequence + page.Count - 1;
    }

    public override void BeginSync()
    {
        lock (_files)
        {
            _filesToSync.Clear();
            _filesToSync.AddRange(_unsynced);
            _filesToSync.Add(_current);
        }

        _nameAtSync = _currentName;
        _writtenAtSync = _written;
        _flushesFolder |= _hasNewName;
        _hasNewName = false;
    }

    /// <summary>Flushes the names before the data, so that durable records are found again.</summary>
    public override void Sync()
    {
        if (_flushesFolder)
        {
            _folder.FlushToDisk();
            _flushesFolder = false;
        }

        for (int i = 0; i < _filesToSync.Count; i++)
        {
            SluiceHandle file = _filesToSync[i];
            LogFile.FlushData(file, _settings);
            lock (_files)
            {
                if (i == _filesToSync.Count - 1 || !_unsynced.Remove(file))
                {
                    continue;
                }
            }

            LogFile.Close(file);
        }

        Compressor?.Signal();
    }

    public override void ConfirmSynced(bool isTold)
    {
        // A full file may have been removed or compressed since; the last one takes records until it is full.
        SluiceHandle last = _filesToSync[^1];
        bool hasLostLast = _folder.HasLost(last, _nameAtSync);
        lock (_files)
        {
            if (hasLostLast && !_unsynced.Contains(last))
            {
                (_mustLeave, _lost) = (true, last.Path);
            }

            if (_lost is { } lost)
            {
                _lost = isTold ? null : lost;
                throw new IOException($"Writing to '{lost}' failed: the file was deleted or moved away.");
            }
        }

        Volatile.Write(ref _durable, _writtenAtSync);
    }

    public override void Housekeep()
    {
        Volatile.Write(ref _rolled, false);
        List<ClosedSegment> closed = [];
        foreach (SegmentEntry entry in Full().Where(static e => e.HasPlain || e.HasCompressed))
        {
            string path = entry.HasPlain ? entry.Path : entry.CompressedPath;
            string? copy = entry is { HasPlain: true, HasCompressed: true } ? entry.CompressedPath : null;
            if (_folder.LookAt(path) is { } file)
            {
                // If LookAt returns null, another process has removed the file.
                long bytes = file.Bytes + (copy is null ? 0 : _folder.LookAt(copy)?.Bytes ?? 0);
                closed.Add(new ClosedSegment(path, 0, 0, file.WrittenAt, bytes) { Copy = copy });
            }
        }

        new SegmentRetention(_folder, _settings, closed).Apply(DateTime.UtcNow);
    }

    public override void Finish()
    {
    }

    public override void Dispose()
    {
        try
        {
            _end?.Dispose();
        }
        finally
        {
            LogFile.CloseAll([_current, .. _unsynced], LogFile.Close);
        }
    }

    /// <summary>Appends the part of a page that earlier calls, which failed, have not written.</summary>
    private void AppendRest(LogPage page)
    {
        if (_end is null)
        {
            // This path is used with an intercepting engine (tests), and on operating systems other than Linux.
            _current.Append(page.Bytes[_done..page.End]);
            return;
        }

        using OpenFile.Reference reference = _current.TakeReference();
        while (_done < page.End)
        {
            int written = _end.Write(page.Bytes[_done..page.End]);
            if (written <= 0)
            {
                IoErrors.Throw(written < 0 ? -written : Errno.EIO, IoVerb.Append, _current.Path, -1);
            }

            _done += written;
        }
    }

    /// <summary>
    /// Moves to the newest file if the current one is full or too old, was removed or moved, cannot become longer, or if the period of its
    /// name is over.
    /// </summary>
    private void GoToNewest()
    {
        // The check after the last write is sufficient, unless other processes have had time to append or to remove the file.
        if (_checkedMs != Environment.TickCount64)
        {
            Look();
        }

        while (_hasNoName
            || Volatile.Read(ref _mustLeave)
            || _length >= _settings.SegmentBytes
            || (_length > 0 && IsOld())
            || (_folder.Names.HasDate && Now >= _rollAt))
        {
            (SluiceHandle file, long id, DateTime utc) = OpenNewest();
            bool isLost = !_hasNoName && !Volatile.Read(ref _mustLeave) && _written > Volatile.Read(ref _durable)
                && _folder.HasLost(_current, _currentName);
            lock (_files)
            {
                // A file that was moved away without its records being synced is not looked at later.
                _lost = isLost ? _current.Path : _lost;
                _unsynced.Add(_current);
            }

            // The name is flushed with the next sync: an append that is only written survives the end of the process without that flush.
            _hasNewName = true;
            AppendTarget? end = _end;
            _current = file;
            Volatile.Write(ref _mustLeave, false);
            SetName(id, utc);
            _end = EndOf(file);
            Look();
            Volatile.Write(ref _rolled, true);

            // The old target is disposed last, so that its error reaches the appender after everything else is done.
            end?.Dispose();
        }
    }

    private void Look()
    {
        _hasNoName = LogFile.HasNoName(_current, out _length);
        _checkedMs = Environment.TickCount64;
    }

    /// <summary>Opens the newest file after the current one, or creates one.</summary>
    private (SluiceHandle File, long Id, DateTime Utc) OpenNewest()
    {
        _folder.Renew();
        for (long passedOver = _id; ;)
        {
            List<SegmentEntry> entries = _folder.ListEntries();
            long largest = Math.Max(passedOver, entries is [.., { } last] ? last.Id : 0);
            SegmentEntry? newest = entries.FindLast(e => e.HasPlain && !e.IsFolder && (_id == 0 || !e.IsForeign));
            if (newest is not null && newest.Id == largest && newest.Id > passedOver)
            {
                passedOver = newest.Id;
                try
                {
                    if (TryOpen(newest.Path, FileMode.Open) is { } there)
                    {
                        return (there, newest.Id, newest.Utc);
                    }
                }
                catch (FileNotFoundException)
                {
                    // The file was removed since it was listed.
                }

                continue;
            }

            // If the clock was set back, the names keep the latest time, so that they stay in order.
            DateTime now = Now;
            DateTime latest = entries.Select(static e => e.Utc).Append(_utc).Max();
            DateTime utc = now > latest ? now : latest;
            passedOver = largest + 1;
            if (TryOpen(_folder.PathOf(passedOver, utc), FileMode.OpenOrCreate) is { } made)
            {
                return (made, passedOver, utc);
            }
        }
    }

    private void SetName(long id, DateTime utc)
    {
        Volatile.Write(ref _id, id);
        _currentName = PathCalls.ToKernel(Path.GetFileName(_current.Path));

        // If the time in the name is in the future, the file is used only until the end of the current period. Otherwise, it would be used
        // until that time.
        DateTime now = Now;
        (_utc, _rollAt) = (utc, _folder.Names.EndOf(utc < now ? utc : now));
        if (_settings.SegmentAge is not null)
        {
            _madeUtc = LogFile.MadeUtc(_current);
            _sinceMs = Environment.TickCount64;
        }
    }

    /// <summary>Returns true if the current file is too old, also if the clock was set back since.</summary>
    private bool IsOld() =>
        _settings.SegmentAge is { } age
        && (DateTime.UtcNow - _madeUtc >= age || Environment.TickCount64 - _sinceMs >= age.TotalMilliseconds);

    /// <summary>Opens a file with a shared lock. Returns null if another process compresses the file.</summary>
    private SluiceHandle? TryOpen(string path, FileMode mode)
    {
        SluiceHandle file = _folder.Open(path, mode, FileAccess.ReadWrite, _settings);
        int result = Libc.IsSupported ? LogFile.LockNow(file, alone: false) : 0;
        if (result == 0)
        {
            return file;
        }

        // A file that cannot be locked is not used: another process might compress it meanwhile.
        file.Dispose();
        PathErrors.ThrowIfFailed(result is -Errno.EAGAIN or -Errno.EACCES ? 0 : result, "Locking", path);
        return null;
    }

    /// <summary>Returns the files before the current one, without entries that other users have placed there.</summary>
    private IEnumerable<SegmentEntry> Full() =>
        _folder.ListEntries().TakeWhile(e => e.Id < Volatile.Read(ref _id)).Where(static e => !e.IsForeign);

    private AppendTarget? EndOf(SluiceHandle file)
    {
        if (!Libc.IsSupported || _settings.Engine is InterceptingEngine)
        {
            return null;
        }

        using OpenFile.Reference reference = file.TakeReference();
        return new AppendTarget(file);
    }
}
