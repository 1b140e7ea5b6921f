using Sluice.Sequential;

namespace Sluice;

/// <summary>Flushing, completing and closing.</summary>
public sealed partial class SluiceWriter
{
    /// <summary>Returns when the operating system has all bytes written so far, or, with <paramref name="toDisk"/>, the device.</summary>
    /// <param name="toDisk">Whether to wait for the device (fdatasync).</param>
    /// <param name="cancellationToken">Looked at before each block.</param>
    /// <exception cref="IOException">A write failed; the message tells at which offset.</exception>
    public void Flush(bool toDisk = false, CancellationToken cancellationToken = default)
    {
        Enter();
        try
        {
            WritePipeline.Ended(_pipeline.FlushAsync(isAsync: false, OwnOr(cancellationToken)));
            if (toDisk)
            {
                _handle.FlushToDisk(dataOnly: true);
            }
        }
        finally
        {
            _busy = 0;
        }
    }

    /// <summary>As <see cref="Flush"/>, without blocking the caller.</summary>
    public async ValueTask FlushAsync(bool toDisk = false, CancellationToken cancellationToken = default)
    {
        cancellationToken = OwnOr(cancellationToken);
        Enter();
        try
        {
            await _pipeline.FlushAsync(isAsync: true, cancellationToken).ConfigureAwait(false);
            if (toDisk)
            {
                await _handle.FlushToDiskAsync(dataOnly: true, cancellationToken).ConfigureAwait(false);
            }
        }
        finally
        {
            _busy = 0;
        }
    }

    /// <summary>
    /// Writes what is left, gives back the space that was reserved behind it, and makes it durable if <see cref="SluiceWriterOptions.DataSync"/> asks for
    /// it. Nothing can be written afterwards.
    /// </summary>
    /// <param name="cancellationToken">Looked at before each block; cancelled, the writer is not complete.</param>
    /// <exception cref="IOException">A write failed; the message tells at which offset.</exception>
    public void Complete(CancellationToken cancellationToken = default)
    {
        Enter();
        try
        {
            WritePipeline.Ended(CompleteAsync(isAsync: false, OwnOr(cancellationToken)));
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
            await CompleteAsync(isAsync: true, OwnOr(cancellationToken)).ConfigureAwait(false);
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
    }

    /// <summary>As <see cref="Dispose"/>, without blocking the caller.</summary>
    public async ValueTask DisposeAsync()
    {
        if (_disposed)
        {
            return;
        }

        EnterToClose();
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
    }

    private async ValueTask CompleteAsync(bool isAsync, CancellationToken cancellationToken)
    {
        await _pipeline.FlushAsync(isAsync, cancellationToken).ConfigureAwait(false);
        _pipeline.Trim();
        if (_dataSync)
        {
            if (isAsync)
            {
                await _handle.FlushToDiskAsync(dataOnly: true, cancellationToken).ConfigureAwait(false);
            }
            else
            {
                _handle.FlushToDisk(dataOnly: true);
            }
        }

        _completed = true;
    }

    private void Close()
    {
        _disposed = true;
        try
        {
            _pipeline.Close();
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
