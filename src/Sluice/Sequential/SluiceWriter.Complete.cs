using System.Runtime.ExceptionServices;
using Sluice.Sequential;

namespace Sluice;

// Flushing, completing and closing.
public sealed partial class SluiceWriter
{
    /// <summary>Passes all written bytes to the operating system and, optionally, flushes them to the disk.</summary>
    /// <param name="flushToDisk">
    /// <see langword="true"/> to also flush the bytes to the disk (fdatasync(2)), so that they survive a power failure. The default is
    /// <see langword="false"/>.
    /// </param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. After a cancellation, bytes that were not passed to the operating system stay in the
    /// writer.
    /// </param>
    /// <exception cref="IOException">
    /// A write or the flush to the disk failed. If a write failed, the message contains the offset.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The writer is closed.</exception>
    /// <exception cref="InvalidOperationException">The writer has been completed, or another call is in progress.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
    public void Flush(bool flushToDisk = false, CancellationToken cancellationToken = default)
    {
        Enter();
        try
        {
            WritePipeline.Ended(EndTextAsync(isAsync: false, cancellationToken));
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

    /// <summary>Asynchronously passes all written bytes to the operating system and, optionally, flushes them to the disk.</summary>
    /// <param name="flushToDisk">
    /// <see langword="true"/> to also flush the bytes to the disk (fdatasync(2)), so that they survive a power failure. The default is
    /// <see langword="false"/>.
    /// </param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. After a cancellation, bytes that were not passed to the operating system stay in the
    /// writer.
    /// </param>
    /// <returns>
    /// A task that completes when the bytes have been passed to the operating system and, if requested, flushed to the disk.
    /// </returns>
    /// <inheritdoc cref="Flush" path="/exception"/>
    public async ValueTask FlushAsync(bool flushToDisk = false, CancellationToken cancellationToken = default)
    {
        Enter();
        try
        {
            await EndTextAsync(isAsync: true, cancellationToken).ConfigureAwait(false);
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
    /// Writes all remaining bytes and ends writing. With <see cref="FileCaching.Direct"/>, disk space that the writer reserved but did not
    /// use is released. With <see cref="SluiceWriterOptions.FlushToDisk"/>, the data is flushed to the disk.
    /// </summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. After a cancellation, the writer is not completed.
    /// </param>
    /// <exception cref="IOException">
    /// A write or the flush to the disk failed. If a write failed, the message contains the offset.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The writer is closed.</exception>
    /// <exception cref="InvalidOperationException">
    /// The writer has already been completed, or another call is in progress.
    /// </exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
    /// <remarks>The writer stays open until <see cref="Dispose"/> is called, but nothing can be written any more.</remarks>
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

    /// <summary>
    /// Asynchronously writes all remaining bytes and ends writing. With <see cref="FileCaching.Direct"/>, disk space that the writer
    /// reserved but did not use is released. With <see cref="SluiceWriterOptions.FlushToDisk"/>, the data is flushed to the disk.
    /// </summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. After a cancellation, the writer is not completed.
    /// </param>
    /// <returns>A task that completes when the file is complete.</returns>
    /// <inheritdoc cref="Complete" path="/exception"/>
    /// <inheritdoc cref="Complete" path="/remarks"/>
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

    /// <summary>
    /// Completes the file in the same way as <see cref="Complete"/> and closes the writer. The handle is also closed if the writer owns it.
    /// </summary>
    /// <exception cref="IOException">
    /// A write or the flush to the disk failed, or the operating system reported an error when the file was closed. If a write failed, the
    /// message contains the offset.
    /// </exception>
    /// <remarks>
    /// If the file has already been completed or a write has failed, the file is only closed. This method can be called more than once. If
    /// another call is in progress, this method returns immediately, and the other call completes and closes the file.
    /// </remarks>
    public void Dispose()
    {
        if (TryBeginClosing())
        {
            WritePipeline.Ended(CompleteAndCloseAsync(isAsync: false));
        }
    }

    /// <summary>
    /// Asynchronously completes the file in the same way as <see cref="CompleteAsync(CancellationToken)"/> and closes the writer. The
    /// handle is also closed if the writer owns it.
    /// </summary>
    /// <returns>A task that completes when the writer is closed.</returns>
    /// <inheritdoc cref="Dispose" path="/exception"/>
    /// <inheritdoc cref="Dispose" path="/remarks"/>
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

        ExceptionDispatchInfo? textError = null;
        try
        {
            if (!_completed && !_pipeline.IsFaulted)
            {
                try
                {
                    await EndTextAsync(isAsync, CancellationToken.None).ConfigureAwait(false);
                }
                catch (Exception e) when (!_pipeline.IsFaulted)
                {
                    // The encoding threw: everything before is written all the same.
                    textError = ExceptionDispatchInfo.Capture(e);
                }

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

        textError?.Throw();
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
        await EndTextAsync(isAsync, cancellationToken).ConfigureAwait(false);
        await _pipeline.FlushAsync(isAsync, cancellationToken).ConfigureAwait(false);
        _pipeline.Trim();
        if (_flushToDisk)
        {
            await _pipeline.FlushToDiskAsync(isAsync, cancellationToken).ConfigureAwait(false);
        }

        _completed = true;
    }

    private void CloseHandle()
    {
        if (!_ownsHandle)
        {
            return;
        }

        try
        {
            _handle.Dispose();
        }
        catch (IOException) when (_pipeline.IsFaulted)
        {
            // The error of the write has been thrown, or is being thrown.
        }
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
            CloseHandle();
        }
    }
}
