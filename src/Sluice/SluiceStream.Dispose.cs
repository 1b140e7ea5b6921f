using System.Runtime.ExceptionServices;
using Sluice.Streams;

namespace Sluice;

/// <summary>Closing: everything written is in the file, or the error is thrown; the file is closed in any case.</summary>
public sealed partial class SluiceStream
{
    /// <summary>Writes what is still in memory and closes the file. Harmless when called twice.</summary>
    /// <exception cref="IOException">Bytes could not be written; they are lost, and the file is closed.</exception>
    public override ValueTask DisposeAsync()
    {
        if (!IsOpen)
        {
            return base.DisposeAsync();
        }

        if (TryCloseAtOnce())
        {
            return base.DisposeAsync();
        }

        return CloseAsync();
    }

    /// <summary>Writes what is still in memory and closes the file. Harmless when called twice.</summary>
    /// <exception cref="IOException">Bytes could not be written; they are lost, and the file is closed.</exception>
    protected override void Dispose(bool disposing)
    {
        if (!IsOpen || TryCloseAtOnce())
        {
            return;
        }

        Exception? error = null;
        bool entered = EnterGateToClose();
        try
        {
            if (entered)
            {
                // What is in flight is waited for whoever has closed the handle; what is not cannot be written any more then, as in .NET.
                if (!_handle.IsClosed || Behind is { IsInFlight: true })
                {
                    error = ErrorOf(static stream => stream.Behind?.Settle());
                }

                // The bytes behind a failed write are tried as well: what can be saved is saved.
                if (!_handle.IsClosed)
                {
                    Exception? second = ErrorOf(static stream => stream.HandDown());
                    error ??= second;
                }

                if (Ahead is { IsBusy: true } ahead)
                {
                    Blocking.Wait(ahead.DrainAsync());
                }
            }
        }
        finally
        {
            Close(entered);
            base.Dispose(disposing);
        }

        if (error is not null)
        {
            ExceptionDispatchInfo.Throw(error);
        }
    }

    private async ValueTask CloseAsync()
    {
        Exception? error = null;
        bool entered = _gate.TryEnter();
        if (!entered && _handle.CanSeek)
        {
            await _gate.EnterAsync(this, CancellationToken.None).ConfigureAwait(false);
            entered = true;
        }

        try
        {
            if (entered)
            {
                if (!_handle.IsClosed || Behind is { IsInFlight: true })
                {
                    error = await ErrorOfAsync(SettleAsync(CancellationToken.None)).ConfigureAwait(false);
                }

                if (!_handle.IsClosed)
                {
                    Exception? second = await ErrorOfAsync(HandDownAsync(mayStayBehind: false, CancellationToken.None)).ConfigureAwait(false);
                    error ??= second;
                }

                if (Ahead is { IsBusy: true } ahead)
                {
                    await ahead.DrainAsync().ConfigureAwait(false);
                }
            }
        }
        finally
        {
            Close(entered);
            await base.DisposeAsync().ConfigureAwait(false);
        }

        if (error is not null)
        {
            ExceptionDispatchInfo.Throw(error);
        }
    }

    /// <summary>
    /// Transfers of a file end soon and are waited for. One of a pipe may never end: the stream closes around it, and leaves it its buffer.
    /// </summary>
    private bool EnterGateToClose()
    {
        if (_gate.TryEnter())
        {
            return true;
        }

        if (!_handle.CanSeek)
        {
            return false;
        }

        EnterGate();
        return true;
    }

    private void Close(bool entered)
    {
        if (!IsOpen)
        {
            return;
        }

        _canRead = false;
        _canWrite = false;
        if (entered)
        {
            Forget(0);
            ReleaseWindow();
            Behind?.GiveUp();
            _extras?.Writeback.Finish(_handle);
            if (_extras is { Peer: null } extras)
            {
                _extras = null;
                StreamExtras.Return(extras);
            }

            ExitGate();
        }

        if (_ownsHandle)
        {
            _handle.Dispose();
        }
    }

    /// <summary>Closes a stream that has nothing to wait for, as most are that were read.</summary>
    private bool TryCloseAtOnce()
    {
        if (_writeEnd != 0 || Behind is { IsPending: true } || Ahead is { IsBusy: true } || !_gate.TryEnter())
        {
            return false;
        }

        Close(entered: true);
        return true;
    }

    private Exception? ErrorOf(Action<SluiceStream> action)
    {
        try
        {
            action(this);
            return null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ObjectDisposedException or ArgumentException)
        {
            return e;
        }
    }

    private static async ValueTask<Exception?> ErrorOfAsync(ValueTask task)
    {
        try
        {
            await task.ConfigureAwait(false);
            return null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ObjectDisposedException or ArgumentException)
        {
            return e;
        }
    }
}
