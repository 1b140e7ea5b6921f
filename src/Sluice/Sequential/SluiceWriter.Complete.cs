using Sluice.Sequential;

namespace Sluice;

/// <summary>Flushing, completing and closing.</summary>
public sealed partial class SluiceWriter
{
    /// <summary>
    /// Returns when the operating system has all bytes written so far, or, with <paramref name="flushToDisk"/>, the device.
    /// </summary>
    /// <param name="flushToDisk">Whether to wait for the device (fdatasync).</param>
    /// <param name="cancellationToken">Looked at before each block.</param>
    /// <exception cref="IOException">A write failed; the message tells at which offset.</exception>
    public void Flush(bool flushToDisk = false, CancellationToken cancellationToken = default)
    {
        Enter();
        try
        {
            WritePipeline.Ended(_pipeline.FlushAsync(isAsync: false, cancellationToken));
            if (flushToDisk)
            {
                _handle.FlushDataToDisk();
            }
        }
        finally
        {
            _busy = 0;
        }
    }

    /// <summary>As <see cref="Flush"/>, without blocking the caller.</summary>
    public async ValueTask FlushAsync(bool flushToDisk = false, CancellationToken cancellationToken = default)
    {
        Enter();
        try
        {
            await _pipeline.FlushAsync(isAsync: true, cancellationToken).ConfigureAwait(false);
            if (flushToDisk)
            {
                await _handle.FlushDataToDiskAsync(cancellationToken).ConfigureAwait(false);
            }
        }
        finally
        {
            _busy = 0;
        }
    }

    /// <summary>
    /// Writes what is left, cuts off the zeros that a direct writer reserved behind it, and makes it durable if
    /// <see cref="SluiceWriterOptions.FlushToDisk"/> asks for it. Nothing can be written afterwards.
    /// </summary>
    /// <param name="cancellationToken">Looked at before each block; cancelled, the writer is not complete.</param>
    /// <exception cref="IOException">A write failed; the message tells at which offset.</exception>
    public void Complete(CancellationToken cancellationToken = default)
    {
        Enter();
        try
        {
            WritePipeline.Ended(CompleteAsync(isAsync: false, cancellationToken));
        }
        finally
        {
            _busy = 0;
        }
    }

    /// <summary>As <see cref="Complete"/>, without blocking the caller.</summary>
    public async ValueTask CompleteAsync(CancellationToken cancellationToken = default)
    {
        Enter();
        try
        {
            await CompleteAsync(isAsync: true, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            _busy = 0;
        }
    }

    /// <summary>Completes, unless that was done or a write has failed before, and closes the file if it is the writer's own.</summary>
    /// <exception cref="IOException">A write failed; the message tells at which offset.</exception>
    public void Dispose()
    {
        if (_disposed)
        {
            return;
        }

        EnterToClose();
        _pipeline.BeginClosing();
        try
        {
            if (!_completed && !_pipeline.IsFaulted)
            {
                WritePipeline.Ended(CompleteAsync(isAsync: false, CancellationToken.None));
            }
        }
        finally
        {
            if (_pipeline.IsFaulted)
            {
                WritePipeline.Ended(_pipeline.EndTransfersAsync(isAsync: false));
            }

            Close();
        }

        _pipeline.ThrowProgressError();
    }

    /// <summary>As <see cref="Dispose"/>, without blocking the caller.</summary>
    public async ValueTask DisposeAsync()
    {
        if (_disposed)
        {
            return;
        }

        EnterToClose();
        _pipeline.BeginClosing();
        try
        {
            if (!_completed && !_pipeline.IsFaulted)
            {
                await CompleteAsync(isAsync: true, CancellationToken.None).ConfigureAwait(false);
            }
        }
        finally
        {
            if (_pipeline.IsFaulted)
            {
                await _pipeline.EndTransfersAsync(isAsync: true).ConfigureAwait(false);
            }

            Close();
        }

        _pipeline.ThrowProgressError();
    }

    /// <summary>Gives up what was not flushed: disposing does not write it, and cuts off what of it was sent ahead.</summary>
    internal void Abandon(Exception reason)
    {
        if (!_disposed)
        {
            EnterToClose();
            _pipeline.Abandon(reason);
            _busy = 0;
        }
    }

    private async ValueTask CompleteAsync(bool isAsync, CancellationToken cancellationToken)
    {
        await _pipeline.FlushAsync(isAsync, cancellationToken).ConfigureAwait(false);
        _pipeline.Trim();
        if (_flushToDisk)
        {
            if (isAsync)
            {
                await _handle.FlushDataToDiskAsync(cancellationToken).ConfigureAwait(false);
            }
            else
            {
                _handle.FlushDataToDisk();
            }
        }

        _completed = true;
    }

    private void Close()
    {
        _disposed = true;
        try
        {
            _pipeline.Close(isBlockLent: _lent > 0);
            if (_pipeline.IsFaulted)
            {
                _pipeline.Trim();
            }
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException or NotSupportedException)
        {
            // The error that matters has been thrown; cutting the file behind it was the best that could be tried.
        }
        finally
        {
            if (_ownsHandle)
            {
                _handle.Dispose();
            }
        }
    }
}
