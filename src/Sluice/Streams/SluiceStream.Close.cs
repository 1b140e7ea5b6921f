using System.Runtime.ExceptionServices;
using Sluice.Streams;

namespace Sluice;

public sealed partial class SluiceStream
{
    /// <summary>Asynchronously writes the buffered bytes and closes the file.</summary>
    /// <returns>A task that completes when the file is closed.</returns>
    /// <remarks>
    /// <para>Calling this method again has no effect.</para>
    /// <para>
    /// Do not dispose the stream while other threads use it. If they do, their calls end with a result or with an
    /// <see cref="ObjectDisposedException"/>. If the stream has a buffer and supports writing, and the file can seek, this method waits for
    /// the call in progress. Otherwise it does not wait, and buffered bytes of a file that cannot seek, such as a pipe, can be lost.
    /// </para>
    /// </remarks>
    /// <exception cref="IOException">
    /// The buffered bytes could not be written, in which case they are lost; or the operating system reported an error when the file was
    /// closed. The file is closed nevertheless.
    /// </exception>
    public override async ValueTask DisposeAsync()
    {
        if (IsOpen)
        {
            bool isEntered = _gate.TryEnter();
            if (!isEntered && WaitsForCalls)
            {
                await _gate.EnterAsync(CancellationToken.None).ConfigureAwait(false);
                isEntered = true;
            }

            if (BeginClosing(isEntered))
            {
                Exception? error = null;
                try
                {
                    if (isEntered)
                    {
                        await DrainAsync().ConfigureAwait(false);
                        await FlushWritesAsync().ConfigureAwait(false);
                    }
                }
#pragma warning disable CA1031 // Thrown when the file is closed.
                catch (Exception e)
#pragma warning restore CA1031
                {
                    error = e;
                }

                EndClosing(isEntered, error);
            }
        }

        await base.DisposeAsync().ConfigureAwait(false);
    }

    /// <summary>Writes the buffered bytes and closes the file, in the same way as <see cref="DisposeAsync"/>.</summary>
    /// <param name="disposing">This argument has no effect.</param>
    /// <inheritdoc cref="DisposeAsync" path="/exception"/>
    protected override void Dispose(bool disposing)
    {
        if (IsOpen)
        {
            bool isEntered = _gate.TryEnter();
            if (!isEntered && WaitsForCalls)
            {
                _gate.Enter();
                isEntered = true;
            }

            if (BeginClosing(isEntered))
            {
                Exception? error = null;
                try
                {
                    if (isEntered)
                    {
                        DrainAsync().AsTask().GetAwaiter().GetResult();
                        FlushWrites();
                    }
                }
#pragma warning disable CA1031 // Thrown when the file is closed.
                catch (Exception e)
#pragma warning restore CA1031
                {
                    error = e;
                }

                EndClosing(isEntered, error);
            }
        }

        base.Dispose(disposing);
    }

    /// <summary>
    /// True if closing waits for a call in progress. A call of a pipe may never end, and a call of a stream that only reads leaves nothing
    /// to write.
    /// </summary>
    private bool WaitsForCalls => MayWrite && _handle.CanSeek;

    /// <summary>Closes the stream for further calls. Returns false if another thread has already closed it.</summary>
    private bool BeginClosing(bool isEntered)
    {
        bool isFirst = IsOpen;
        _access = 0;
        if (isFirst && _handle.IsClosed)
        {
            // The buffered bytes cannot be written, because the file is closed.
            _writeEnd = 0;
        }

        if (!isFirst && isEntered)
        {
            _gate.Exit();
        }

        return isFirst;
    }

    private ValueTask DrainAsync() => _readAhead?.DrainAsync() ?? ValueTask.CompletedTask;

    private void EndClosing(bool isEntered, Exception? error)
    {
        _readEnd = 0;
        _writeEnd = 0;
        if (_finalFlush is { } flush)
        {
#pragma warning disable CA1816 // Nothing is left to write.
            GC.SuppressFinalize(flush);
#pragma warning restore CA1816
        }

        if (isEntered)
        {
            _gate.Exit();
        }

        try
        {
            if (_origin != HandleOrigin.Borrowed)
            {
                _handle.Dispose();
            }
        }
        catch (IOException) when (error is not null)
        {
            // The first error is thrown.
        }

        if (error is not null)
        {
            ExceptionDispatchInfo.Throw(error);
        }
    }
}
