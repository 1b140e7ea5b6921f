using Sluice.Log.Folders;

namespace Sluice.Log.Segments;

/// <summary>The readers of single records that are not in use. Thread-safe.</summary>
/// <param name="folder">The log's folder.</param>
internal sealed class RecordReaders(LogFolder folder) : IDisposable
{
    private const int MaxKept = 4;

    private readonly Lock _lock = new();
    private readonly List<RecordReader> _kept = [];
    private bool _isDisposed;

    /// <summary>The number of times that the readers were closed. A reader of an earlier version is not kept.</summary>
    private int _version;

    /// <summary>Returns a reader of a segment, for one thread.</summary>
    /// <exception cref="IOException">The segment was removed, is damaged or cannot be read.</exception>
    public RecordReader Rent(long id)
    {
        int version;
        lock (_lock)
        {
            int index = _kept.FindLastIndex(r => r.Id == id);
            if (index >= 0)
            {
                RecordReader kept = _kept[index];
                _kept.RemoveAt(index);
                return kept;
            }

            version = _version;
        }

        return new RecordReader(folder, id, version);
    }

    /// <summary>Keeps a reader, or closes it.</summary>
    public void Return(RecordReader reader, bool isUsable)
    {
        RecordReader? closed = reader;
        lock (_lock)
        {
            if (isUsable && !_isDisposed && reader.Version == _version)
            {
                _kept.Add(reader);
                closed = null;
                if (_kept.Count > MaxKept)
                {
                    closed = _kept[0];
                    _kept.RemoveAt(0);
                }
            }
        }

        closed?.Dispose();
    }

    /// <summary>Closes the readers after files were closed, shortened or removed: they keep neither these files nor their bytes.</summary>
    public void Clear()
    {
        RecordReader[] closed;
        lock (_lock)
        {
            _version++;
            closed = [.. _kept];
            _kept.Clear();
        }

        Array.ForEach(closed, static r => r.Dispose());
    }

    public void Dispose()
    {
        lock (_lock)
        {
            _isDisposed = true;
        }

        Clear();
    }
}
