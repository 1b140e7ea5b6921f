using System.IO.Pipelines;
using Sluice.Sequential;

namespace Sluice;

/// <summary>The reader as a pipe.</summary>
public sealed partial class SluiceReader
{
    /// <summary>
    /// The rest of the file as a <see cref="PipeReader"/> over the reader's own blocks. From here on the reader belongs to the pipe;
    /// completing the pipe closes it.
    /// </summary>
    public PipeReader AsPipeReader() => new SluicePipeReader(this);

    /// <summary>What is unread of the current block, else the next one; it stays the caller's until <see cref="ReturnBlock"/>.</summary>
    internal async ValueTask<(BlockTransfer Transfer, ReadOnlyMemory<byte> Bytes)?> TakeBlockAsync(CancellationToken cancellationToken)
    {
        if (_consumed == _block.Length && !await NextBlockAsync(cancellationToken).ConfigureAwait(false))
        {
            return null;
        }

        BlockTransfer transfer = _current!;
        ReadOnlyMemory<byte> bytes = _block[_consumed..];
        _current = null;
        _block = default;
        _consumed = 0;
        return (transfer, bytes);
    }

    /// <summary>Takes a block back that <see cref="TakeBlockAsync"/> gave.</summary>
    internal void ReturnBlock(BlockTransfer transfer) => _pipeline.Release(transfer);
}
