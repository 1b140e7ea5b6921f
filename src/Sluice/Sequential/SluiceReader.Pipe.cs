using System.IO.Pipelines;
using Sluice.Sequential;

namespace Sluice;

// The reader as a stream or a pipe.
public sealed partial class SluiceReader
{
    /// <summary>Returns a read-only <see cref="Stream"/> over the rest of the file. The stream has no buffer of its own.</summary>
    /// <returns>
    /// A stream that owns the reader: closing the stream closes the reader. It supports seeking if the file does.
    /// </returns>
    /// <remarks>After this call, do not call members of the reader.</remarks>
    public Stream AsStream() => new SluiceReaderStream(this);

    /// <summary>Returns a <see cref="PipeReader"/> over the rest of the file. The pipe reader does not copy the data.</summary>
    /// <returns>A pipe reader that owns the reader: completing it closes the reader.</returns>
    /// <remarks>After this call, do not call members of the reader.</remarks>
    public PipeReader AsPipeReader() => new SluicePipeReader(this);

    /// <summary>What is unread of the current block, else the next one; it stays the caller's until <see cref="ReturnBlock"/>.</summary>
    internal async ValueTask<(BlockTransfer Transfer, ReadOnlyMemory<byte> Bytes)?> TakeBlockAsync(CancellationToken cancellationToken)
    {
        if (!await HasUnreadAsync(cancellationToken).ConfigureAwait(false))
        {
            return null;
        }

        Enter();
        BlockTransfer transfer = _current!;
        ReadOnlyMemory<byte> bytes = _block[_consumed..];
        _current = null;
        _block = default;
        _consumed = 0;
        _ = TryLeave();
        return (transfer, bytes);
    }

    /// <summary>Takes a block back that <see cref="TakeBlockAsync"/> gave.</summary>
    internal void ReturnBlock(BlockTransfer transfer)
    {
        if (Interlocked.CompareExchange(ref _state, Busy, Idle) != Idle)
        {
            // The reader was disposed of.
            transfer.Block.Return();
            return;
        }

        _pipeline.Release(transfer);
        _ = TryLeave();
    }
}
