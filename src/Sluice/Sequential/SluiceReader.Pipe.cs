using System.IO.Pipelines;
using Sluice.Sequential;

namespace Sluice;

// The reader as a stream or a pipe.
public sealed partial class SluiceReader
{
    /// <summary>
    /// The rest of the file as a <see cref="Stream"/> over the reader's own blocks, without a further buffer. From here on the reader
    /// belongs to the stream; closing the stream closes it.
    /// </summary>
    public Stream AsStream() => new SluiceReaderStream(this);

    /// <summary>
    /// The rest of the file as a <see cref="PipeReader"/> over the reader's own blocks. From here on the reader belongs to the pipe;
    /// completing the pipe closes it.
    /// </summary>
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
