using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using Sluice.Engines;
using Sluice.Memory;
using Sluice.Streams;

namespace Sluice;

// Closing: everything written is in the file, or the error is thrown; the file is closed in any case.
public sealed partial class SluiceStream
{
#if DEBUG
    /// <summary>A read that takes so long may never end.</summary>
    private const int MaxReadMs = 250;
#else
    /// <summary>A read that takes so long may never end.</summary>
    private const int MaxReadMs = 2000;
#endif

    /// <summary>Asynchronously writes the buffered bytes and closes the file.</summary>
    /// <returns>A task that completes when the file is closed.</returns>
    /// <remarks>
    /// <para>Calling this method again has no effect.</para>
    /// <para>
    /// Do not dispose the stream while other threads use it. If they do, this method waits for writes in progress, with two exceptions. It
    /// waits at most 10 seconds for a thread that is copying into the buffer. For a file that cannot seek, such as a pipe, it does not wait
    /// for a call that is blocked by the other end or that is writing the buffer.
    /// </para>
    /// <para>
    /// If the method does not wait for a write, that write throws an <see cref="ObjectDisposedException"/>. For a pipe, bytes that were
    /// buffered before such a write can be lost.
    /// </para>
    /// <para>
    /// This method waits at most 2 seconds for a read in progress. If the read takes longer, the file is closed when the read has ended.
    /// </para>
    /// </remarks>
    /// <exception cref="IOException">The buffered bytes could not be written. They are lost, and the file is closed.</exception>
    public override ValueTask DisposeAsync() => !IsOpen || TryCloseAtOnce() ? base.DisposeAsync() : CloseAsync();

    /// <summary>Writes the buffered bytes and closes the file, in the same way as <see cref="DisposeAsync"/>.</summary>
    /// <param name="disposing">This argument has no effect.</param>
    /// <exception cref="IOException">The buffered bytes could not be written. They are lost, and the file is closed.</exception>
    protected override void Dispose(bool disposing)
    {
        if (IsOpen && !TryCloseAtOnce())
        {
            CloseInTurn();
        }

        base.Dispose(disposing);
    }

    private void CloseInTurn()
    {
        Exception? error = null;
        if (EnterGateToClose())
        {
            SealWriting();
            _access |= Closing;
            if (CanSettle)
            {
                error = ErrorOf(static stream => stream.SettleLast());
            }

            if (!_handle.IsClosed)
            {
                _gate.EndSealing();
                Exception? second = ErrorOf(static stream => stream.HandDown(isLast: true));
                error ??= second;
            }

            if (ReadAhead is { IsBusy: true } ahead)
            {
                _ = PoolWork.Wait(Blocking.AsTask(ahead.DrainAsync()), MaxReadMs);
            }

            EndClosed();
        }

        CloseFile();
        if (error is not null)
        {
            ExceptionDispatchInfo.Throw(error);
        }
    }

    private async ValueTask CloseAsync()
    {
        Exception? error = null;
        if (await EnterGateToCloseAsync().ConfigureAwait(false))
        {
            await SealWritingAsync().ConfigureAwait(false);
            _access |= Closing;
            if (CanSettle)
            {
                error = await ErrorOfAsync(SettleLastAsync()).ConfigureAwait(false);
            }

            if (!_handle.IsClosed)
            {
                _gate.EndSealing();
                Exception? second = await ErrorOfAsync(
                    HandDownAsync(mayStayBehind: false, isLast: true, CancellationToken.None)).ConfigureAwait(false);
                error ??= second;
            }

            if (ReadAhead is { IsBusy: true } ahead)
            {
                await WaitForReadAsync(Blocking.AsTask(ahead.DrainAsync())).ConfigureAwait(false);
            }

            EndClosed();
        }

        CloseFile();
        await base.DisposeAsync().ConfigureAwait(false);
        if (error is not null)
        {
            ExceptionDispatchInfo.Throw(error);
        }
    }

    /// <summary>What is in flight is waited for whoever has closed the handle; what is not cannot be written any more then.</summary>
    private bool CanSettle => WriteBehind is { IsPending: true } behind && (behind.IsInFlight || !_handle.IsClosed);

    /// <summary>A write behind that fails only now is tried once more, as one that failed before is.</summary>
    private void SettleLast()
    {
        WriteBehind behind = WriteBehind!;
        bool isFirst = behind.IsInFlight;
        try
        {
            behind.Settle();
        }
        catch when (isFirst && !_handle.IsClosed)
        {
            behind.Settle();
        }
    }

    [AsyncMethodBuilder(typeof(InnerTaskBuilder))]
    private async ValueTask SettleLastAsync()
    {
        WriteBehind behind = WriteBehind!;
        bool isFirst = behind.IsInFlight;
        try
        {
            await behind.SettleAsync(CancellationToken.None).ConfigureAwait(false);
        }
        catch when (isFirst && !_handle.IsClosed)
        {
            await behind.SettleAsync(CancellationToken.None).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Enters the gate, or closes it around an operation that may never end: one of a pipe, or a read that takes long. That operation keeps
    /// its memory, and ends the stream when it leaves.
    /// </summary>
    private bool EnterGateToClose()
    {
        if (!MustWaitToClose(isAwaited: false, out bool isEntered, out GateTurn? turn))
        {
            return isEntered;
        }

        while (!PoolWork.Wait(turn.Task, MaxReadMs))
        {
            if (_gate.TryAbandon(this, whoeverHolds: !_handle.CanSeek))
            {
                // Turned away with all others; or its turn came just before, and it is this one that ends the stream.
                break;
            }

            if (_handle.CanSeek)
            {
                PoolWork.Wait(turn.Task);
                break;
            }
        }

        return turn.IsCalled;
    }

    [AsyncMethodBuilder(typeof(InnerTaskBuilder<>))]
    private async ValueTask<bool> EnterGateToCloseAsync()
    {
        if (!MustWaitToClose(isAwaited: true, out bool isEntered, out GateTurn? turn))
        {
            return isEntered;
        }

        while (!await WaitForReadAsync(turn.Task).ConfigureAwait(false))
        {
            if (_gate.TryAbandon(this, whoeverHolds: !_handle.CanSeek))
            {
                break;
            }

            if (_handle.CanSeek)
            {
                await turn.Task.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                break;
            }
        }

        return turn.IsCalled;
    }

    private bool MustWaitToClose(bool isAwaited, out bool isEntered, [NotNullWhen(true)] out GateTurn? turn)
    {
        turn = null;
        isEntered = _gate.TryEnterToClose();
        if (isEntered || (!_handle.CanSeek && _gate.TryAbandon(this, whoeverHolds: true)))
        {
            return false;
        }

        try
        {
            turn = _gate.TakePlace(this, isAwaited, toClose: true);
            isEntered = turn is null;
            return !isEntered;
        }
        catch (ObjectDisposedException)
        {
            // Another thread closes it.
            return false;
        }
    }

    /// <summary>False where it takes longer than reads do.</summary>
    [AsyncMethodBuilder(typeof(InnerTaskBuilder<>))]
    private static async ValueTask<bool> WaitForReadAsync(Task task)
    {
        // Its timer waits for a lock.
        await Uninterrupted.UntilDone(task, static t => t.WaitAsync(TimeSpan.FromMilliseconds(MaxReadMs)))
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return task.IsCompleted;
    }

    /// <summary>Gives up what the stream has in memory; whoever has the gate does, once, and nobody enters it any more.</summary>
    private void EndClosed()
    {
        Access = 0;
        _readEnd = 0;
        _writeEnd = 0;

        // The quick ways may still look at the array: only a stream that is open takes it out of its fields.
        if (_extras is { SealedEnd: >= 0 })
        {
            // And one may still copy into it whose mark another has taken off.
            Window.LeaveToCollector();
        }
        else
        {
            RetiredMemory.Add(Window, this);
        }

        ReadAhead?.ReleaseSpare();
        WriteBehind?.GiveUp();
        WriteBehind?.ReleaseSpare();
        _extras?.Writeback.Finish(_handle);
        if (_extras is { LockingStream: null, SealedEnd: < 0 } extras)
        {
            _extras = null;
            StreamExtras.Return(extras);
        }

        _gate.Close(this);
    }

    private void CloseFile()
    {
        Access = 0;
        if (_origin != HandleOrigin.Borrowed)
        {
            _handle.Dispose();
        }
    }

    /// <summary>Closes a stream that has nothing to wait for, as most are that were read.</summary>
    private bool TryCloseAtOnce()
    {
        if (HasUnwritten || ReadAhead is { IsBusy: true })
        {
            return false;
        }

        Seam.Between();
        if (!_gate.TryEnterToClose())
        {
            return false;
        }

        if (HasUnwritten || ReadAhead is { IsBusy: true })
        {
            // A call of another thread has come between the look and the gate, and what it was given was accepted.
            ExitGate();
            return false;
        }

        EndClosed();
        CloseFile();
        return true;
    }

    private Exception? ErrorOf(Action<SluiceStream> action)
    {
        try
        {
            action(this);
            return null;
        }
#pragma warning disable CA1031 // Thrown when the file is closed.
        catch (Exception e)
#pragma warning restore CA1031
        {
            return e;
        }
    }

    [AsyncMethodBuilder(typeof(InnerTaskBuilder<>))]
    private static async ValueTask<Exception?> ErrorOfAsync(ValueTask task)
    {
        try
        {
            await task.ConfigureAwait(false);
            return null;
        }
#pragma warning disable CA1031 // Thrown when the file is closed.
        catch (Exception e)
#pragma warning restore CA1031
        {
            return e;
        }
    }
}
