using System.Runtime.CompilerServices;
using Sluice.Engines;
using Sluice.Kernel;

namespace Sluice.Streams;

/// <summary>
/// Reads that a stream has started in advance: consecutive chunks in the order of their offsets. Not thread-safe: the stream's gate admits
/// one call at a time.
/// </summary>
/// <remarks>Nothing is canceled: a chunk that is not needed costs less than a second code path.</remarks>
internal sealed class ReadAhead(SluiceHandle handle)
{
    /// <summary>
    /// The number of concurrent reads. Cached reads are issued one at a time, because the kernel's read-ahead requires their order.
    /// </summary>
    private readonly int _depth = handle.Caching == FileCaching.Direct ? Tuning.ReadAheadDepth : 1;
    private readonly int _chunkBytes = handle.Caching == FileCaching.Direct ? AdaptiveSize.MaxDirect : 2 * AdaptiveSize.MaxRead;
    private readonly Queue<Chunk> _chunks = new();
    private long _nextOffset;
    private long _end;
    private bool _isStale;
    private StreamWindow _spare = StreamWindow.None;

    /// <summary>The offset of the next chunk to take; -1 if there is none.</summary>
    public long Offset => _isStale || !_chunks.TryPeek(out Chunk chunk) ? -1 : chunk.Offset;

    /// <summary>
    /// Waits for reads in progress, discards their chunks, and starts reading the first chunks at <paramref name="offset"/>. Does not
    /// throw.
    /// </summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask StartAsync(long offset)
    {
        await DrainAsync().ConfigureAwait(false);
        _nextOffset = offset;
        Refill();
    }

    /// <summary>
    /// Waits for the next chunk and removes it. Starts reading a further chunk unless this one was the last or completed synchronously.
    /// </summary>
    /// <param name="used">A window that can be reused.</param>
    /// <returns>The chunk, the number of bytes in it, and whether the file ended there.</returns>
    /// <exception cref="IOException">The chunk could not be read. The chunks after it are abandoned.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<(StreamWindow Window, int Length, bool IsLast)> TakeAsync(StreamWindow used)
    {
        _spare = used;
        Chunk chunk = _chunks.Dequeue();
        try
        {
            int length = await chunk.Task.ConfigureAwait(false);
            IoMetrics.NoteReadAhead(length, isUsed: true);
            bool isLast = length < chunk.Length;
            if (isLast)
            {
                Abandon();
            }
            else if (!chunk.WasCached)
            {
                Refill();
            }

            return (chunk.Window, length, isLast);
        }
        catch
        {
            Abandon();
            throw;
        }
    }

    /// <summary>Marks all chunks as unneeded.</summary>
    public void Abandon() => _isStale = true;

    /// <summary>Waits until no read is in progress, and removes the chunks. Does not throw.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask DrainAsync()
    {
        while (_chunks.TryDequeue(out Chunk chunk))
        {
            try
            {
                IoMetrics.NoteReadAhead(await chunk.Task.ConfigureAwait(false), isUsed: false);
            }
#pragma warning disable CA1031 // A later read at the same offset reports the error.
            catch (Exception)
#pragma warning restore CA1031
            {
            }

            _spare = chunk.Window;
        }

        _isStale = false;
    }

    private void Refill()
    {
        try
        {
            _end = _end <= _nextOffset ? handle.Length : _end;
            while (_chunks.Count < _depth && _nextOffset < _end)
            {
                // The first chunk of a direct read may begin inside a block; the others are aligned.
                int length = _chunkBytes - (int)(_nextOffset % handle.Alignment.Offset);
                StreamWindow window = _spare.Length >= _chunkBytes
                    ? _spare
                    : StreamWindow.Allocate(_chunkBytes, handle.Alignment.Memory);
                _spare = StreamWindow.None;
                ValueTask<int> task = handle.ReadAsync(window.Memory(length), _nextOffset);
                _chunks.Enqueue(new Chunk(window, _nextOffset, length, task, task.IsCompleted));
                _nextOffset += length;
            }
        }
#pragma warning disable CA1031 // A later read at the same offset reports the error.
        catch (Exception)
#pragma warning restore CA1031
        {
        }
    }

    private readonly record struct Chunk(StreamWindow Window, long Offset, int Length, ValueTask<int> Task, bool WasCached);
}
