using System.Buffers;
using System.IO.Pipelines;

namespace Sluice.Sequential;

/// <summary>
/// A pipe whose other end is a file: the consumer sees the reader's own blocks, and no more are read ahead than the reader keeps in flight.
/// Completing it closes the reader.
/// </summary>
internal sealed class SluicePipeReader(SluiceReader reader) : PipeReader
{
    private readonly Lock _lock = new();
    private CancellationTokenSource? _pendingCancellation;
    private bool _cancelNext;
    private BlockSegment? _head;
    private BlockSegment? _tail;
    private int _headIndex;
    private bool _isExamined = true;
    private bool _isEnd;
    private bool _isCompleted;

    public override bool TryRead(out ReadResult result)
    {
        ThrowIfCompleted();
        if (TakeCancellation())
        {
            result = new ReadResult(Unconsumed(), isCanceled: true, isCompleted: false);
            return true;
        }

        if (_isExamined && !_isEnd)
        {
            result = default;
            return false;
        }

        result = new ReadResult(Unconsumed(), isCanceled: false, _isEnd);
        return true;
    }

    public override async ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (TryRead(out ReadResult there))
        {
            return there;
        }

        using CancellationTokenSource pending = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        lock (_lock)
        {
            _pendingCancellation = pending;
        }

        try
        {
            if (await reader.TakeBlockAsync(pending.Token).ConfigureAwait(false) is { } block)
            {
                _tail = new BlockSegment(block.Transfer, block.Bytes, _tail);
                _head ??= _tail;
            }
            else
            {
                _isEnd = true;
            }

            _isExamined = false;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested && TakeCancellation())
        {
            return new ReadResult(Unconsumed(), isCanceled: true, isCompleted: false);
        }
        finally
        {
            lock (_lock)
            {
                _pendingCancellation = null;
            }
        }

        return new ReadResult(Unconsumed(), isCanceled: false, _isEnd);
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        ThrowIfCompleted();
        if (_head is null)
        {
            // At the end of the file, with nothing unconsumed.
            _isExamined = true;
            return;
        }

        var until = (BlockSegment)consumed.GetObject()!;
        _isExamined = (BlockSegment)examined.GetObject()! == _tail && examined.GetInteger() == _tail!.Memory.Length;
        _headIndex = consumed.GetInteger();
        while (_head != until)
        {
            reader.ReturnBlock(_head!.Transfer);
            _head = _head.NextSegment;
        }

        if (_head == _tail && _headIndex == _tail!.Memory.Length)
        {
            reader.ReturnBlock(_head.Transfer);
            _head = _tail = null;
            _headIndex = 0;
            _isExamined = true;
        }
    }

    public override void CancelPendingRead()
    {
        lock (_lock)
        {
            _cancelNext = true;
            _pendingCancellation?.Cancel();
        }
    }

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

        reader.Dispose();
    }

    private ReadOnlySequence<byte> Unconsumed() =>
        _head is null ? ReadOnlySequence<byte>.Empty : new ReadOnlySequence<byte>(_head, _headIndex, _tail!, _tail!.Memory.Length);

    private bool TakeCancellation()
    {
        lock (_lock)
        {
            bool result = _cancelNext;
            _cancelNext = false;
            return result;
        }
    }

    private void ThrowIfCompleted()
    {
        if (_isCompleted)
        {
            throw new InvalidOperationException("Reading is not allowed after the reader was completed.");
        }
    }
}
