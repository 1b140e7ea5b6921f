using System.Runtime.CompilerServices;
using Sluice.Engines;
using Sluice.Kernel;
using Sluice.Memory;

namespace Sluice.Streams;

/// <summary>
/// Reads that a stream has begun before its caller asked: consecutive chunks, in the order of their offsets. Not thread-safe: the
/// stream's gate keeps others out.
/// </summary>
/// <remarks>
/// A chunk's memory belongs to its transfer until that has ended; only then is it handed to the stream or given back. Nothing here is
/// cancelled: a disk answers soon, and a chunk that was read for nothing is cheaper than a second way through.
/// </remarks>
internal sealed class ReadAhead(SluiceHandle handle, IMemoryUser user)
{
#if DEBUG
    private const int DirectChunk = 8 * 1024;
#else
    private const int DirectChunk = 512 * 1024;
#endif

    /// <summary>Direct reads in flight. Cached ones go one by one: out of order they would defeat the kernel's own read-ahead.</summary>
    private static int DirectDepth => Tuning.ReadAheadDepth;

    private readonly Chunk[] _chunks = new Chunk[handle.Caching == FileCaching.Direct ? DirectDepth : 1];
    private readonly int _chunkBytes = handle.Caching == FileCaching.Direct ? DirectChunk : AdaptiveSize.MaxRead;
    private int _first;
    private int _count;
    private long _nextOffset;
    private long _end;
    private bool _isStale;
    private MemoryLease _spare;

    /// <summary>Where the next chunk to take begins; -1 where there is none.</summary>
    public long Offset => _count == 0 || _isStale ? -1 : _chunks[_first].Offset;

    /// <summary>Whether transfers may be in flight that nobody has looked after yet.</summary>
    public bool IsBusy => _count != 0;

    /// <summary>Begins reading from <paramref name="offset"/> on, as far as the file goes now.</summary>
    [AsyncMethodBuilder(typeof(InnerTaskBuilder))]
    public async ValueTask StartAsync(long offset)
    {
        await DrainAsync().ConfigureAwait(false);
        _nextOffset = offset;
        _end = handle.Length;
        Refill();
    }

    /// <summary>Waits for the oldest chunk, and begins reading the next one behind the last.</summary>
    /// <param name="usedUp">The stream's last window, which the next chunk is read into.</param>
    /// <returns>Its memory, which is the caller's now, how many bytes are in it, and whether the file ended there.</returns>
    /// <exception cref="IOException">This chunk could not be read; what was read ahead of it is given up.</exception>
    [AsyncMethodBuilder(typeof(InnerTaskBuilder<>))]
    public async ValueTask<(MemoryLease Memory, int Length, bool IsLast)> TakeAsync(MemoryLease usedUp)
    {
        ReleaseSpare();
        _spare = usedUp;
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
            RetiredMemory.Add(chunk.Memory, user);
            Abandon();
            throw;
        }

        IoMetrics.NoteReadAhead(length, isUsed: true);
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

        return (chunk.Memory, length, isLast);
    }

    /// <summary>What is in flight is not wanted any more; its memory comes back with <see cref="DrainAsync"/>.</summary>
    public void Abandon() => _isStale = true;

    /// <summary>Waits until nothing is in flight; results and errors of what nobody has asked for are dropped.</summary>
    [AsyncMethodBuilder(typeof(InnerTaskBuilder))]
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
                IoMetrics.NoteReadAhead(await chunk.Task.ConfigureAwait(false), isUsed: false);
            }
            catch (Exception)
            {
                // Nobody asked for these bytes; whoever does meets the error at its own offset.
            }

            RetiredMemory.Add(chunk.Memory, user);
        }

        _isStale = false;
    }

    public void ReleaseSpare()
    {
        RetiredMemory.Add(_spare, user);
        _spare = default;
    }

    private void Refill()
    {
        while (_count < _chunks.Length && _nextOffset < _end)
        {
            // The first chunk of a direct read may begin inside a block; from the second on all are aligned.
            int length = _chunkBytes - (int)(_nextOffset % handle.Alignment.Offset);
            MemoryLease memory = default;
            ValueTask<int> task;
            try
            {
                memory = TakeSpare();
                task = handle.ReadAsync(memory.MemoryAt(memory.Start, length), _nextOffset);
            }
            catch (Exception)
            {
                // Reading ahead is a favour: whoever reads these bytes meets the error.
                RetiredMemory.Add(memory, user);
                return;
            }

            _chunks[(_first + _count++) % _chunks.Length] = new Chunk(memory, _nextOffset, length, task, task.IsCompleted);
            _nextOffset += length;
        }
    }

    private MemoryLease TakeSpare()
    {
        if (_spare.Length < _chunkBytes)
        {
            return AlignedBufferPool.Rent(_chunkBytes);
        }

        MemoryLease spare = _spare;
        _spare = default;
        return spare;
    }

    private readonly record struct Chunk(MemoryLease Memory, long Offset, int Length, ValueTask<int> Task, bool CameAtOnce);
}
