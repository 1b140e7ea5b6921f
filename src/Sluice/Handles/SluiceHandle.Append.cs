using Sluice.Engines;
using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;

namespace Sluice;

// Appends: the kernel finds the end of the file and writes there in one step.
public sealed partial class SluiceHandle
{
    /// <summary>Writes all bytes of a buffer at the end of the file.</summary>
    /// <param name="buffer">The bytes to append.</param>
    /// <remarks>
    /// <para>
    /// On 64-bit Linux and a local file system, an append is atomic with respect to all threads, handles and processes that append to the
    /// same file. Otherwise, it is atomic only with respect to other appends through this handle.
    /// </para>
    /// <para>Appends always go through the page cache, even with <see cref="FileCaching.Direct"/>.</para>
    /// </remarks>
    /// <exception cref="NotSupportedException">The file cannot seek.</exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    /// <exception cref="UnauthorizedAccessException">The handle was not opened for writing.</exception>
    /// <exception cref="IOException">
    /// The operating system reported an error, for example because the file would become larger than the file system allows. Some of the
    /// bytes may be at the end of the file.
    /// </exception>
    public void Append(ReadOnlySpan<byte> buffer) => AppendBytes(buffer, needsOffset: false);

    /// <summary>Writes all bytes of a buffer at the end of the file, and returns their offset.</summary>
    /// <param name="buffer">The bytes to append.</param>
    /// <returns>The offset in the file at which the bytes were written, in bytes.</returns>
    /// <remarks>
    /// <para>This method makes one more system call than <see cref="Append"/>. Both methods have the same atomicity.</para>
    /// <para>
    /// The first append opens the file a second time, through /proc. If that fails, for example because /proc is not mounted, the returned
    /// offset is correct only if no other code changes the file position of the operating system handle.
    /// </para>
    /// </remarks>
    /// <inheritdoc cref="Append" path="/exception"/>
    public long AppendAndGetOffset(ReadOnlySpan<byte> buffer) => AppendBytes(buffer, needsOffset: true);

    /// <summary>Asynchronously writes all bytes of a buffer at the end of the file.</summary>
    /// <param name="buffer">The bytes to append. The memory must not be changed until the returned task has completed.</param>
    /// <param name="cancellationToken">The token to cancel the append before it starts. An append that has started is not canceled.</param>
    /// <returns>A task that completes when all bytes are written.</returns>
    /// <remarks>
    /// This method can copy up to 1 MiB into the page cache on the calling thread, under the same conditions as
    /// <see cref="WriteAsync(ReadOnlyMemory{byte}, long, CancellationToken)"/>. For atomicity, see <see cref="Append"/>.
    /// </remarks>
    /// <inheritdoc cref="Append" path="/exception"/>
    /// <exception cref="OperationCanceledException">The append was canceled before it started.</exception>
    public ValueTask AppendAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (TryAppend(buffer, needsOffset: false, cancellationToken, out long offset))
        {
            return offset >= 0 ? ValueTask.CompletedTask : ValueTask.FromException(ErrorOf((int)-offset, IoVerb.Append, -1));
        }

        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(cancellationToken);
        }

        return IoOperation.ForAppend(this, buffer, cancellationToken).StartTask();
    }

    /// <summary>Asynchronously writes all bytes of a buffer at the end of the file, and returns their offset.</summary>
    /// <param name="buffer">The bytes to append. The memory must not be changed until the returned task has completed.</param>
    /// <param name="cancellationToken">The token to cancel the append before it starts. An append that has started is not canceled.</param>
    /// <returns>The offset in the file at which the bytes were written, in bytes.</returns>
    /// <remarks>
    /// <inheritdoc cref="AppendAsync" path="/remarks/node()"/> For the offset, see <see cref="AppendAndGetOffset"/>.
    /// </remarks>
    /// <inheritdoc cref="AppendAsync" path="/exception"/>
    public ValueTask<long> AppendAndGetOffsetAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (TryAppend(buffer, needsOffset: true, cancellationToken, out long offset))
        {
            return offset >= 0 ? new ValueTask<long>(offset) : ValueTask.FromException<long>(ErrorOf((int)-offset, IoVerb.Append, -1));
        }

        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<long>(cancellationToken);
        }

        return IoOperation.ForAppend(this, buffer, cancellationToken).StartLongTask();
    }

    /// <inheritdoc/>
    internal override long AppendBlocking(ReadOnlySpan<byte> buffer) =>
        !Libc.IsSupported ? AppendPortably(buffer) : buffer.IsEmpty ? LengthNow() : AppendTarget.Append(buffer, needsOffset: true);

    private long AppendBytes(ReadOnlySpan<byte> buffer, bool needsOffset)
    {
        CheckAppend();
        if (NeedsOperation)
        {
            return IoOperation.Append(this, buffer);
        }

        using Reference reference = TakeReference();
        long offset = buffer.IsEmpty ? LengthNow() : AppendTarget.Append(buffer, needsOffset);
        if (offset < 0)
        {
            ThrowFailed((int)-offset, IoVerb.Append, -1);
        }

        IoMetrics.Note(this, IoVerb.Append, CompletionPath.Inline, buffer.Length);
        return offset;
    }

    /// <summary>
    /// Appends on the calling thread if this waits neither for the device nor for other appends of this handle. Returns false if the append
    /// is canceled or must be performed by an operation.
    /// </summary>
    private bool TryAppend(ReadOnlyMemory<byte> buffer, bool needsOffset, CancellationToken cancellationToken, out long offset)
    {
        CheckAppend();
        offset = 0;
        if (buffer.IsEmpty || cancellationToken.IsCancellationRequested
            || !MayWriteInline(buffer.Length, fileOffset: 0) || !TryBeginWriteHere(out long begin))
        {
            return false;
        }

        bool isAppended = false;
        try
        {
            using Reference reference = TakeReference();
            isAppended = AppendTarget.TryAppend(buffer.Span, needsOffset, out offset);
        }
        finally
        {
            if (isAppended)
            {
                EndWriteHere(begin, buffer.Length);
            }
            else
            {
                AbandonWriteHere();
            }
        }

        if (isAppended && offset >= 0)
        {
            IoMetrics.Note(this, IoVerb.Append, CompletionPath.Inline, buffer.Length);
        }

        return isAppended;
    }

    /// <summary>Gets the append target. The first append creates it. The caller holds a reference.</summary>
    private AppendTarget AppendTarget => (AppendTarget?)_extras?.Appender ?? MakeAppendTarget();

    private AppendTarget MakeAppendTarget()
    {
        OpenFileExtras extras = Extras;
        lock (extras.Lock)
        {
            if (extras.Appender is not AppendTarget target)
            {
                extras.Appender = target = new AppendTarget(this);
            }

            // Pairs with Dispose, which stores before it loads: either Dispose finds the target, or this thread sees the disposal.
            Interlocked.MemoryBarrier();
            if (_disposed)
            {
                target.Dispose();
            }

            return target;
        }
    }

    /// <summary>Appends on systems other than 64-bit Linux. Atomic only among the threads of this handle.</summary>
    private long AppendPortably(ReadOnlySpan<byte> buffer)
    {
        lock (Extras.Lock)
        {
            long end = RandomAccess.GetLength(_file);
            RandomAccess.Write(_file, buffer, end);
            return end;
        }
    }

    private void CheckAppend()
    {
        ThrowIfClosed();
        if (!CanSeek)
        {
            IoErrors.ThrowUnseekable("Appending to", Path);
        }
    }
}
