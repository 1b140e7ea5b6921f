using System.Runtime.CompilerServices;
using Sluice.Buffers;

namespace Sluice.Streams;

/// <summary>
/// The one write that a stream has begun and not yet waited for. Not thread-safe: the stream's gate keeps others out.
/// </summary>
/// <remarks>
/// The buffer belongs to the transfer until it has ended, and is kept as long as its bytes are not known to be written: a write that
/// failed is reported once for each time it fails, and tried again at the next occasion. Nothing that was accepted is dropped before
/// the stream is closed.
/// </remarks>
internal sealed class WriteBehind
{
    private SluiceHandle? _handle;
    private AlignedBuffer? _buffer;
    private int _index;
    private int _length;
    private long _offset;
    private ValueTask _task;
    private bool _hasFailed;

    /// <summary>Whether bytes are not yet known to be written.</summary>
    public bool IsPending => _buffer is not null;

    /// <summary>Whether nobody has seen yet how the write ended: until then its buffer is the transfer's, even if the handle is closed.</summary>
    public bool IsInFlight => _buffer is not null && !_hasFailed;

    /// <summary>The end of the pending bytes in the file.</summary>
    public long End => _offset + _length;

    /// <summary>Begins a write; the buffer is given up to it. The one before must have been settled.</summary>
    public void Start(SluiceHandle handle, AlignedBuffer buffer, int index, int length, long offset)
    {
#pragma warning disable CA2012 // Kept until it is settled, and consumed there once.
        _task = handle.WriteBehindAsync(buffer.MemoryAt(index, length), offset);
#pragma warning restore CA2012
        _handle = handle;
        _buffer = buffer;
        _index = index;
        _length = length;
        _offset = offset;
    }

    /// <summary>Waits for the pending write; one that has failed before is tried again.</summary>
    /// <exception cref="IOException">It failed; its bytes are kept.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask SettleAsync(CancellationToken cancellationToken)
    {
        if (_buffer is null)
        {
            return;
        }

        if (_hasFailed)
        {
            await _handle!.WriteAsync(_buffer.MemoryAt(_index, _length), _offset, cancellationToken).ConfigureAwait(false);
        }
        else
        {
            try
            {
                await _task.ConfigureAwait(false);
            }
            catch
            {
                _hasFailed = true;
                throw;
            }
        }

        Release();
    }

    /// <summary>As <see cref="SettleAsync"/>, blocking.</summary>
    public void Settle()
    {
        if (_buffer is null)
        {
            return;
        }

        if (_hasFailed)
        {
            _handle!.Write(_buffer.Array.AsSpan(_index, _length), _offset);
        }
        else
        {
            try
            {
                Blocking.Wait(_task);
            }
            catch
            {
                _hasFailed = true;
                throw;
            }
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

    /// <summary>Nothing is pending; ready for another stream.</summary>
    public void Reset() => _handle = null;

    private void Release()
    {
        AlignedBufferPool.Return(_buffer!);
        _buffer = null;
        _task = default;
        _hasFailed = false;
    }
}
