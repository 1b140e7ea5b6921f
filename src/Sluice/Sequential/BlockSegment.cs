using System.Buffers;

namespace Sluice.Sequential;

/// <summary>A block, or the rest of one, in the sequence that a pipe's consumer sees.</summary>
internal sealed class BlockSegment : ReadOnlySequenceSegment<byte>
{
    public BlockSegment(BlockTransfer transfer, ReadOnlyMemory<byte> bytes, BlockSegment? previous)
    {
        Transfer = transfer;
        Memory = bytes;
        if (previous is not null)
        {
            RunningIndex = previous.RunningIndex + previous.Memory.Length;
            previous.Next = this;
        }
    }

    public BlockTransfer Transfer { get; }

    public BlockSegment? NextSegment => (BlockSegment?)Next;
}
