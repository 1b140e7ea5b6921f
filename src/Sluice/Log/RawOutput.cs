using Sluice.Memory;

namespace Sluice.Log;

/// <summary>
/// Files with the bytes as they were given. Each page goes to the end of the newest file in one append, which other processes may append
/// to as
/// well; whoever finds a file full goes on in the next, which is made by who comes first.
/// </summary>
internal sealed class RawOutput : LogOutput
{
    private readonly LogFolder _folder;
    private readonly LogSettings _settings;
    private readonly Lock _files = new();
    private readonly List<SluiceHandle> _unsynced = [];
    private SluiceHandle _current;
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
        folder.FlushToDisk();
    }

    public override int PageStart => 0;

    public override int RecordHeaderBytes => 0;

    public override bool NeedsHousekeeping => Volatile.Read(ref _rolled);

    public override long DurableSequence => _durable;

    public override void Write(LogPage page)
    {
        if (_done == 0 && _current.Length >= _settings.SegmentBytes)
        {
            Roll();
        }

        long before = _current.Length;
        try
        {
            _ = _current.Append(page.Bytes.AsSpan(_done, page.End - _done));
        }
        catch (IOException)
        {
            // What the full disk took stays: the rest of it comes behind it when there is space.
            long grown = _current.Length - before;
            _done += grown > 0 && grown < page.End - _done ? (int)grown : 0;
            throw;
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
            DiskFlush.Flush(file, dataOnly: true, _settings);
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
        _rolled = false;
        List<long> ids = _folder.List();
        List<ClosedSegment> closed = [];
        foreach (long id in ids.TakeWhile(id => id < _id))
        {
            FileInfo file = new(_folder.PathOf(id));
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
        _current.Dispose();
        foreach (SluiceHandle file in _unsynced)
        {
            file.Dispose();
        }
    }

    private void Roll()
    {
        SluiceHandle next = Open(_id + 1);
        _folder.FlushToDisk();
        using (_files.EnterUninterrupted())
        {
            _unsynced.Add(_current);
        }

        (_current, _id, _rolled) = (next, _id + 1, true);
    }

    private SluiceHandle Open(long id) => SluiceHandle.Open(_folder.PathOf(id), new SluiceOptions
    {
        Mode = FileMode.OpenOrCreate,
        Access = FileAccess.ReadWrite,
        Share = FileShare.ReadWrite | FileShare.Delete,
        Engine = _settings.Engine,
        UnixCreateMode = _settings.UnixCreateMode,
    });
}
