using Sluice.Sequential;

namespace Sluice;

// Flushing, completing and closing.
public sealed partial class SluiceWriter
{
    /// <summary>
    /// Returns when the operating system has all bytes written so far, or, with <paramref name="flushToDisk"/>, the device.
    /// </summary>
    /// <param name="flushToDisk">Whether to wait for the device (fdatasync).</param>
    /// <param name="cancellationToken">Looked at before each block; cancelled, the bytes are still the writer's.</param>
    /// <exception cref="IOException">A write failed; the message tells at which offset.</exception>
    public void Flush(bool flushToDisk = false, CancellationToken cancellationToken = default)
    {
        Enter();
        try
        {
            WritePipeline.Ended(_pipeline.FlushAsync(isAsync: false, cancellationToken));
            if (flushToDisk)
            {
                WritePipeline.Ended(_pipeline.FlushToDiskAsync(isAsync: false, cancellationToken));
            }
        }
        finally
        {
            Leave();
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
                await _pipeline.FlushToDiskAsync(isAsync: true, cancellationToken).ConfigureAwait(false);
            }
        }
        finally
        {
            await LeaveAsync().ConfigureAwait(false);
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
            Leave();
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
            await LeaveAsync().ConfigureAwait(false);
        }
    }

    /// <summary>Completes, unless that was done or a write has failed before, and closes the file if it is the writer's own.</summary>
    /// <remarks>Beside a running call it returns at once, and leaves both to that call. Harmless when called twice.</remarks>
    /// <exception cref="IOException">A write failed; the message tells at which offset.</exception>
    public void Dispose()
    {
        if (TryBeginClosing())
        {
            WritePipeline.Ended(CompleteAndCloseAsync(isAsync: false));
        }
    }

    /// <summary>As <see cref="Dispose"/>, without blocking the caller.</summary>
    public async ValueTask DisposeAsync()
    {
        if (TryBeginClosing())
        {
            await CompleteAndCloseAsync(isAsync: true).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Gives up what was not flushed: disposing, which comes next, does not write it, and cuts off what of it was sent ahead.
    /// </summary>
    internal void Abandon(Exception reason) => Volatile.Write(ref _abandoned, reason);

    /// <summary>True for the one call that is to close the writer; false when that was done, or is left to a call that runs.</summary>
    private bool TryBeginClosing()
    {
        if (Interlocked.Exchange(ref _closing, 1) != 0)
        {
            return false;
        }

        if (Interlocked.CompareExchange(ref _busy, 1, 0) == 0)
        {
            return true;
        }

        // The call that runs looks at the mark after it has stored that it ended, without a fence between: behind this barrier either it
        // sees the mark, or what it stored is seen here.
        Interlocked.MemoryBarrierProcessWide();
        if (Interlocked.CompareExchange(ref _busy, 1, 0) == 0)
        {
            return true;
        }

        _pipeline.CancelAwaited();
        return false;
    }

    private async ValueTask CompleteAndCloseAsync(bool isAsync)
    {
        _pipeline.BeginClosing(isBlockLent: _lent > 0);
        if (Volatile.Read(ref _abandoned) is { } reason)
        {
            _pipeline.Abandon(reason);
        }

        try
        {
            if (!_completed && !_pipeline.IsFaulted)
            {
                await CompleteAsync(isAsync, CancellationToken.None).ConfigureAwait(false);
            }
        }
        finally
        {
            if (_pipeline.IsFaulted)
            {
                await _pipeline.EndTransfersAsync(isAsync).ConfigureAwait(false);
            }

            Close();
        }

        _pipeline.ThrowProgressError();
    }

    /// <summary>Closes for whoever disposed beside the call that ends here, whose outcome does not count any more.</summary>
    private async ValueTask CloseAfterCallAsync(bool isAsync)
    {
        ObjectDisposedException error = new(nameof(SluiceWriter));
        if (!_handle.CanSeek)
        {
            // What the other end of a pipe does not take would be waited for once more.
            _pipeline.Abandon(error);
        }

        await CompleteAndCloseAsync(isAsync).ConfigureAwait(false);
        if (_abandoned is null)
        {
            _pipeline.ThrowIfFailed();
        }

        throw error;
    }

    private async ValueTask CompleteAsync(bool isAsync, CancellationToken cancellationToken)
    {
        await _pipeline.FlushAsync(isAsync, cancellationToken).ConfigureAwait(false);
        _pipeline.Trim();
        if (_flushToDisk)
        {
            await _pipeline.FlushToDiskAsync(isAsync, cancellationToken).ConfigureAwait(false);
        }

        _completed = true;
    }

    private void Close()
    {
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
