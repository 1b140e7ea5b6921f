using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Uring;

namespace Sluice.Log;

/// <summary>
/// Files with the bytes as they were given. Each page goes to the end of the newest file in one append, which other processes may append to
/// as well; whoever finds a file full goes on in the next, which is made by who comes first.
/// </summary>
internal sealed class RawOutput : LogOutput
{
    private readonly LogFolder _folder;
    private readonly LogSettings _settings;
    private readonly Lock _files = new();
    private readonly List<SluiceHandle> _unsynced = [];
    private SluiceHandle _current;
    private AppendTarget? _end;
    private long _id;
    private long _markSequence;
    private long _written;
    private long _durable;
    private int _done;
    private bool _rolled;
    private SluiceHandle[] _marked = [];

    public RawOutput(LogFolder folder, LogSettings settings)
    {
        (_folder, _settings) = (folder, settings);
        List<long> ids = folder.List();
        _id = ids.Count > 0 ? ids[^1] : 1;
        _current = Open(_id);
        try
        {
            folder.FlushToDisk();
            _end = EndOf(_current);
        }
        catch
        {
            _current.Dispose();
            throw;
        }
    }

    public override int PageStart => 0;

    public override int RecordHeaderBytes => 0;

    public override bool NeedsHousekeeping => Volatile.Read(ref _rolled);

    public override bool HasFull => Volatile.Read(ref _rolled);

    public override long DurableSequence => _durable;

    public override void Write(LogPage page)
    {
        while (true)
        {
            if (_done == 0)
            {
                GoToNewest();
            }

            AppendRest(page);
            if (!LogFile.HasNoName(_current))
            {
                break;
            }

            // Another process took it for one that is not to be kept, just now; nobody can read what went there.
            _done = 0;
        }

        _done = 0;
        _written = page.FirstSequence + page.Count - 1;
    }

    public override void TakeMark()
    {
        using (_files.EnterUninterrupted())
        {
            _marked = [.. _unsynced, _current];
        }

        _markSequence = _written;
    }

    public override void Sync()
    {
        foreach (SluiceHandle file in _marked)
        {
            LogFile.Flush(file, dataOnly: true, _settings);
        }

        using (_files.EnterUninterrupted())
        {
            foreach (SluiceHandle file in _marked.Where(_unsynced.Remove))
            {
                file.Dispose();
            }
        }

        _durable = _markSequence;
    }

    /// <summary>Bytes without sums cannot be read back and known to be right: whoever waits is told.</summary>
    public override void Recover() =>
        throw new IOException($"a sync of '{_current.Path}' failed, and what it was to make durable cannot be known to be whole.");

    public override void Housekeep()
    {
        Volatile.Write(ref _rolled, false);
        List<long> ids = _folder.List();
        List<ClosedSegment> closed = [];
        foreach (long id in ids.TakeWhile(id => id < Volatile.Read(ref _id)))
        {
            FileInfo file = new(_folder.PathOf(id));
            if (!file.Exists)
            {
                // Removed by another process.
                continue;
            }

            closed.Add(new ClosedSegment(file.FullName, 0, 0, LogLayout.ToNanoseconds(file.LastWriteTimeUtc), file.Length));
        }

        if (new SegmentRetention(_settings, closed).Apply(DateTime.UtcNow))
        {
            _folder.FlushToDisk();
        }
    }

    public override void Finish()
    {
    }

    public override void Dispose()
    {
        _end?.Dispose();
        _current.Dispose();
        foreach (SluiceHandle file in _unsynced)
        {
            file.Dispose();
        }
    }

    /// <summary>What the full disk took stays: the rest comes behind it when there is space.</summary>
    private void AppendRest(LogPage page)
    {
        if (_end is null)
        {
            AppendByHandle(page);
            return;
        }

        using OpenFile.Reference reference = _current.Hold();
        while (_done < page.End)
        {
            int written = _end.Write(page.Bytes.AsSpan(_done, page.End - _done));
            if (written <= 0)
            {
                IoErrors.Throw(written < 0 ? -written : Errno.EIO, IoVerb.Append, _current.Path, -1);
            }

            _done += written;
        }
    }

    /// <summary>Through an engine that stands before another one, for tests, and elsewhere than on Linux.</summary>
    private void AppendByHandle(LogPage page)
    {
        long before = _current.Length;
        try
        {
            _ = _current.Append(page.Bytes.AsSpan(_done, page.End - _done));
        }
        catch (IOException)
        {
            long grown = _current.Length - before;
            _done += grown > 0 && grown < page.End - _done ? (int)grown : 0;
            throw;
        }
    }

    /// <summary>Where the file is full or was removed: to the newest that is neither.</summary>
    private void GoToNewest()
    {
        while (_current.Length >= _settings.SegmentBytes || LogFile.HasNoName(_current))
        {
            long next = Math.Max(_id + 1, _folder.List() is [.., long last] ? last : 0);
            SluiceHandle file = Open(next);
            _folder.FlushToDisk();
            using (_files.EnterUninterrupted())
            {
                _unsynced.Add(_current);
            }

            _end?.Dispose();
            (_current, _id, _end) = (file, next, EndOf(file));
            Volatile.Write(ref _rolled, true);
        }
    }

    private AppendTarget? EndOf(SluiceHandle file)
    {
        if (!Libc.IsSupported || _settings.Engine is InterceptingEngine)
        {
            return null;
        }

        using OpenFile.Reference reference = file.Hold();
        return new AppendTarget(file);
    }

    private SluiceHandle Open(long id) => LogFile.Open(_folder.PathOf(id), FileMode.OpenOrCreate, FileAccess.ReadWrite, _settings);
}
