using Sluice.Log.Folders;

namespace Sluice.Log.Segments;

/// <summary>The readers of single records that are not in use. Thread-safe.</summary>
/// <param name="folder">The log's folder.</param>
internal sealed class RecordReaders(LogFolder folder) : IDisposable
{
    private const int MaxKept = 4;

    private readonly Lock _lock = new();
    private readonly List<SegmentReader> _kept = [];
    private bool _isDisposed;

    /// <summary>The number of times that the readers were closed. A reader that was rented before the last time is not kept.</summary>
    private int _version;

    /// <summary>Returns a reader of a segment, for one thread.</summary>
    /// <param name="id">The segment's id.</param>
    /// <param name="lastSequence">The last sequence number of a closed segment; null if the segment is open.</param>
    /// <param name="version">Identifies the readers that are kept until the next <see cref="Clear"/>.</param>
    /// <exception cref="IOException">The segment was removed, is damaged or cannot be read.</exception>
    public SegmentReader Rent(long id, long? lastSequence, out int version)
    {
        lock (_lock)
        {
            version = _version;
            if (_kept.FindLast(r => r.Id == id) is { } kept)
            {
                _kept.Remove(kept);
                return kept;
            }
        }

        return SegmentReader.Open(folder, id, lastSequence);
    }

    /// <summary>Keeps a reader, or closes it if it is not usable or was rented before the last <see cref="Clear"/>.</summary>
    public void Return(SegmentReader reader, bool isUsable, int version)
    {
        SegmentReader? closed = reader;
        lock (_lock)
        {
            if (isUsable && !_isDisposed && version == _version)
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

    /// <summary>
    /// Closes the readers after files were closed, shortened or removed, because the readers hold these files open and buffer their
    /// content.
    /// </summary>
    public void Clear()
    {
        SegmentReader[] closed;
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
