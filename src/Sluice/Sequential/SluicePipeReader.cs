using System.Buffers;
using System.IO.Pipelines;

namespace Sluice.Sequential;

/// <summary>
/// A pipe whose other end is a file: the consumer sees the reader's own blocks, and no more are read ahead than the reader keeps in flight.
/// It behaves as <see cref="PipeReader.Create(Stream, StreamPipeReaderOptions?)"/> over the file. Completing it closes the reader.
/// </summary>
internal sealed class SluicePipeReader(SluiceReader reader) : PipeReader
{
    private readonly PipeCancellation _cancellation = new();
    private BlockSegment? _head;
    private BlockSegment? _tail;
    private int _headIndex;
    private bool _isExamined;
    private bool _isCompleted;

    public override bool TryRead(out ReadResult result)
    {
        ThrowIfCompleted();
        bool isCanceled = _cancellation.TryTake();
        bool isThere = isCanceled || (_head is not null && !_isExamined);
        result = isThere ? new ReadResult(Unconsumed(), isCanceled, isCompleted: false) : default;
        return isThere;
    }

    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfCompleted();
        cancellationToken.ThrowIfCancellationRequested();
        if (TryRead(out ReadResult there))
        {
            return new ValueTask<ReadResult>(there);
        }

        return ReadBlockAsync(cancellationToken);
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        ThrowIfCompleted();
        if (consumed.GetObject() is null || examined.GetObject() is null)
        {
            return;
        }

        // Looked for before anything changes: a position of an earlier result may name a block that has been given back.
        int index = consumed.GetInteger();
        if (Find(consumed) is not { } until || Find(examined) is not { } last || index > until.Memory.Length
            || (until == _head && index < _headIndex))
        {
            throw new InvalidOperationException("The position is not one of what was read last and is unconsumed.");
        }

        _isExamined = last == _tail && examined.GetInteger() == last.Memory.Length;
        if (index == until.Memory.Length)
        {
            until = until.NextSegment;
            index = 0;
        }

        while (_head != until)
        {
            reader.ReturnBlock(_head!.Transfer);
            _head = _head.NextSegment;
        }

        _headIndex = index;
        _tail = _head is null ? null : _tail;
    }

    public override void CancelPendingRead() => _cancellation.Cancel();

    public override void Complete(Exception? exception = null)
    {
        if (_isCompleted)
        {
            return;
        }

        _isCompleted = true;
        for (; _head is not null; _head = _head.NextSegment)
        {
            reader.ReturnBlock(_head.Transfer);
        }

        _tail = null;
        reader.Dispose();
    }

    private async ValueTask<ReadResult> ReadBlockAsync(CancellationToken cancellationToken)
    {
        bool isCanceled = false;
        bool isCompleted = false;
        using PipeCancellation.Wait wait = _cancellation.Begin(cancellationToken);
        try
        {
            if (await reader.TakeBlockAsync(wait.Token).ConfigureAwait(false) is { } block)
            {
                _tail = new BlockSegment(block.Transfer, block.Bytes, _tail);
                _head ??= _tail;
            }
            else
            {
                isCompleted = true;
            }
        }
        catch (OperationCanceledException e) when (cancellationToken.IsCancellationRequested)
        {
            _ = _cancellation.TryTake();
            throw new OperationCanceledException(e.Message, e, cancellationToken);
        }
        catch (OperationCanceledException) when (_cancellation.TryTake())
        {
            isCanceled = true;
        }

        return new ReadResult(Unconsumed(), isCanceled, isCompleted);
    }

    private BlockSegment? Find(SequencePosition position)
    {
        BlockSegment? segment = _head;
        while (segment is not null && segment != position.GetObject())
        {
            segment = segment.NextSegment;
        }

        return segment;
    }

    private ReadOnlySequence<byte> Unconsumed() =>
        _head is null ? default : new ReadOnlySequence<byte>(_head, _headIndex, _tail!, _tail!.Memory.Length);

    private void ThrowIfCompleted()
    {
        if (_isCompleted)
        {
            throw new InvalidOperationException("Reading is not allowed after the reader was completed.");
        }
    }

    /// <summary>A block, or the rest of one, in the sequence that a pipe's consumer sees.</summary>
    private sealed class BlockSegment : ReadOnlySequenceSegment<byte>
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
}
