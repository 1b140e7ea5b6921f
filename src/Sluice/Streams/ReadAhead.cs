using System.Runtime.CompilerServices;
using Sluice.Buffers;

namespace Sluice.Streams;

/// <summary>
/// Reads that a stream has begun before its caller asked: consecutive chunks, in the order of their offsets. Not thread-safe: the
/// stream's gate keeps others out.
/// </summary>
/// <remarks>
/// A chunk's buffer belongs to its transfer until that has ended; only then is it handed to the stream or given back. Nothing here is
/// cancelled: a disk answers soon, and a chunk that was read for nothing is cheaper than a second way through.
/// </remarks>
internal sealed class ReadAhead(SluiceHandle handle)
{
#if DEBUG
    private const int DirectChunk = 8 * 1024;
#else
    private const int DirectChunk = 512 * 1024;
#endif

    /// <summary>Direct reads in flight. Cached ones go one by one: out of order they would defeat the kernel's own read-ahead.</summary>
    private const int DirectDepth = 4;

    private readonly Chunk[] _chunks = new Chunk[handle.Caching == FileCaching.Direct ? DirectDepth : 1];
    private readonly int _chunkBytes = handle.Caching == FileCaching.Direct ? DirectChunk : AdaptiveSize.MostRead;
    private int _first;
    private int _count;
    private long _nextOffset;
    private long _end;
    private bool _isStale;

    /// <summary>Where the next chunk to take begins; -1 where there is none.</summary>
    public long Offset => _count == 0 || _isStale ? -1 : _chunks[_first].Offset;

    /// <summary>Whether transfers may be in flight that nobody has looked after yet.</summary>
    public bool IsBusy => _count != 0;

    /// <summary>Begins reading from <paramref name="offset"/> on, as far as the file goes now.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask StartAsync(long offset)
    {
        await DrainAsync().ConfigureAwait(false);
        _nextOffset = offset;
        _end = handle.Length;
        Refill();
    }

    /// <summary>Waits for the oldest chunk, and begins reading the next one behind the last.</summary>
    /// <returns>Its buffer, which is the caller's now, how many bytes are in it, and whether the file ended there.</returns>
    /// <exception cref="IOException">This chunk could not be read; what was read ahead of it is given up.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<(AlignedBuffer Buffer, int Length, bool IsLast)> TakeAsync()
    {
        Chunk chunk = _chunks[_first];
        _chunks[_first] = default;
        _first = (_first + 1) % _chunks.Length;
        _count--;
        int length;
        try
        {
            length = await chunk.Task.ConfigureAwait(false);
        }
        catch
        {
            AlignedBufferPool.Return(chunk.Buffer);
            Abandon();
            throw;
        }

        bool isLast = length < chunk.Length;
        if (isLast)
        {
            Abandon();
        }
        else if (!chunk.CameAtOnce)
        {
            // One that lay in the page cache gained nothing by being read ahead.
            Refill();
        }

        return (chunk.Buffer, length, isLast);
    }

    /// <summary>What is in flight is not wanted any more; its buffers come back with <see cref="DrainAsync"/>.</summary>
    public void Abandon() => _isStale = true;

    /// <summary>Waits until nothing is in flight; results and errors of what nobody has asked for are dropped.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask DrainAsync()
    {
        while (_count > 0)
        {
            Chunk chunk = _chunks[_first];
            _chunks[_first] = default;
            _first = (_first + 1) % _chunks.Length;
            _count--;
            try
            {
                await chunk.Task.ConfigureAwait(false);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException or OperationCanceledException or ObjectDisposedException)
            {
                // Nobody asked for these bytes; whoever does meets the error at its own offset.
            }

            AlignedBufferPool.Return(chunk.Buffer);
        }

        _isStale = false;
    }

    private void Refill()
    {
        while (_count < _chunks.Length && _nextOffset < _end)
        {
            // The first chunk of a direct read may begin inside a block; from the second on all are aligned.
            int length = _chunkBytes - (int)(_nextOffset % handle.Alignment.Offset);
            AlignedBuffer buffer = AlignedBufferPool.Rent(_chunkBytes);
            ValueTask<int> task;
            try
            {
                task = handle.ReadAsync(buffer.MemoryAt(buffer.Start, length), _nextOffset);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException or ObjectDisposedException)
            {
                // Reading ahead is a favour: whoever reads these bytes meets the error.
                AlignedBufferPool.Return(buffer);
                return;
            }

            _chunks[(_first + _count++) % _chunks.Length] = new Chunk(buffer, _nextOffset, length, task, task.IsCompleted);
            _nextOffset += length;
        }
    }

    private readonly record struct Chunk(AlignedBuffer Buffer, long Offset, int Length, ValueTask<int> Task, bool CameAtOnce);
}
