using System.Runtime.CompilerServices;
using Sluice.Errors;
using Sluice.Memory;

namespace Sluice.Streams;

/// <summary>
/// The one write that a stream has begun and not yet waited for. Not thread-safe: the stream's gate keeps others out.
/// </summary>
/// <remarks>
/// The buffer belongs to the transfer until it has ended, and is kept as long as its bytes are not known to be written: a write that
/// failed is reported once for each time it fails, and what of it has not gone out is tried again at the next occasion. Nothing that was
/// accepted is dropped before the stream is closed.
/// </remarks>
internal sealed class WriteBehind
{
    private SluiceHandle? _handle;
    private IMemoryUser? _user;
    private MemoryLease _spare;
    private MemoryLease _memory;
    private int _index;
    private int _length;
    private long _offset;
    private ValueTask _task;
    private bool _hasFailed;

    /// <summary>Whether bytes are not yet known to be written.</summary>
    public bool IsPending => !_memory.IsEmpty;

    /// <summary>Whether nobody has seen yet how the write ended: until then its memory is the transfer's, even if the handle is
    /// closed.</summary>
    public bool IsInFlight => !_memory.IsEmpty && !_hasFailed;

    /// <summary>The end of the pending bytes in the file.</summary>
    public long End => _offset + _length;

    /// <summary>Begins a write; the memory, which was a window of <paramref name="user"/>, is given up to it. The one before must have
    /// been settled.</summary>
    public void Start(SluiceHandle handle, IMemoryUser user, MemoryLease memory, int index, int length, long offset)
    {
#pragma warning disable CA2012 // Kept until it is settled, and consumed there once.
        _task = handle.WriteBehindAsync(memory.MemoryAt(index, length), offset);
#pragma warning restore CA2012
        _handle = handle;
        _user = user;
        _memory = memory;
        _index = index;
        _length = length;
        _offset = offset;
    }

    /// <summary>Waits for the pending write; one that has failed before is tried again.</summary>
    /// <exception cref="IOException">It failed; its bytes are kept.</exception>
    [AsyncMethodBuilder(typeof(InnerTaskBuilder))]
    public async ValueTask SettleAsync(CancellationToken cancellationToken)
    {
        if (_memory.IsEmpty)
        {
            return;
        }

        try
        {
            if (_hasFailed)
            {
                await _handle!.WriteAsync(_memory.MemoryAt(_index, _length), _offset, cancellationToken).ConfigureAwait(false);
            }
            else
            {
                await _task.ConfigureAwait(false);
            }
        }
        catch (Exception e)
        {
            _hasFailed = true;
            KeepRest(e);
            throw;
        }

        Release();
    }

    /// <summary>As <see cref="SettleAsync"/>, blocking.</summary>
    public void Settle()
    {
        if (_memory.IsEmpty)
        {
            return;
        }

        try
        {
            if (_hasFailed)
            {
                _handle!.Write(_memory.Array.AsSpan(_index, _length), _offset);
            }
            else
            {
                Blocking.Wait(_task);
            }
        }
        catch (Exception e)
        {
            // It has ended: nothing is thrown before.
            _hasFailed = true;
            KeepRest(e);
            throw;
        }

        Release();
    }

    /// <summary>
    /// Gives up what could not be written: the stream is closed, and its error has been reported. A buffer that is in flight is left to
    /// its transfer, and to the collector.
    /// </summary>
    public void GiveUp()
    {
        if (_hasFailed)
        {
            Release();
        }
    }

    /// <summary>Memory of so many bytes that was written: the stream's next window. Empty where there is none.</summary>
    public MemoryLease TakeSpare(int length)
    {
        MemoryLease spare = _spare;
        if (spare.Length < length)
        {
            ReleaseSpare();
            return default;
        }

        _spare = default;
        return spare;
    }

    public void ReleaseSpare()
    {
        MemoryLease spare = _spare;
        _spare = default;
        if (!spare.IsEmpty)
        {
            RetiredMemory.Add(spare, _user!);
        }
    }

    /// <summary>Nothing is pending; ready for another stream.</summary>
    public void Reset()
    {
        ReleaseSpare();
        _handle = null;
        _user = null;
    }

    /// <summary>What has gone out is not sent again: what cannot seek, and a file that appends, would have it twice.</summary>
    private void KeepRest(Exception error)
    {
        int written = PartialWrite.Of(error, _handle!);
        _index += written;
        _length -= written;
        _offset += written;
    }

    private void Release()
    {
        ReleaseSpare();
        _spare = _memory;
        _memory = default;
        _task = default;
        _hasFailed = false;
    }
}
