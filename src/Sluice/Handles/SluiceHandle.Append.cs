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
    /// <returns>The offset in the file at which the bytes were written, in bytes.</returns>
    /// <remarks>
    /// <para>
    /// On 64-bit Linux and a local file system, an append is atomic with respect to all threads, handles and processes that append to the
    /// same file. Otherwise, it is atomic only with respect to other appends through this handle.
    /// </para>
    /// <para>
    /// The first append opens the file a second time, through /proc. If that fails, for example because /proc is not mounted, the returned
    /// offset is correct only if no other code changes the file position of the operating system handle.
    /// </para>
    /// <para>Appends always go through the page cache, even with <see cref="FileCaching.Direct"/>.</para>
    /// </remarks>
    /// <exception cref="NotSupportedException">The file cannot seek.</exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The file would become larger than the file system or the process's file size limit allows.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    /// <exception cref="UnauthorizedAccessException">The handle was not opened for writing.</exception>
    /// <exception cref="IOException">The operating system reported an error. Some of the bytes may be at the end of the file.</exception>
    public long Append(ReadOnlySpan<byte> buffer)
    {
        CheckAppend();
        if (Caching == FileCaching.Direct || IsIntercepted || !Libc.IsSupported)
        {
            return IoOperation.Append(this, buffer);
        }

        using Reference reference = Hold();
        long offset = buffer.IsEmpty ? LengthNow() : AppendTarget.Append(buffer);
        if (offset < 0)
        {
            ThrowFailed((int)-offset, IoVerb.Append, -1);
        }

        IoMetrics.Note(this, IoVerb.Append, Carrier.Inline, buffer.Length);
        return offset;
    }

    /// <summary>Asynchronously writes all bytes of a buffer at the end of the file.</summary>
    /// <param name="buffer">The bytes to append. The memory must not be changed until the returned task has completed.</param>
    /// <param name="cancellationToken">The token to cancel the append before it starts. An append that has started is not canceled.</param>
    /// <returns>The offset in the file at which the bytes were written, in bytes.</returns>
    /// <remarks>
    /// This method can copy up to 1 MiB into the page cache on the calling thread, under the same conditions as
    /// <see cref="WriteAsync(ReadOnlyMemory{byte}, long, CancellationToken)"/>. For atomicity, see <see cref="Append"/>.
    /// </remarks>
    /// <exception cref="NotSupportedException">The file cannot seek.</exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The file would become larger than the file system or the process's file size limit allows.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    /// <exception cref="UnauthorizedAccessException">The handle was not opened for writing.</exception>
    /// <exception cref="IOException">The operating system reported an error. Some of the bytes may be at the end of the file.</exception>
    /// <exception cref="OperationCanceledException">The append was canceled before it started.</exception>
    public ValueTask<long> AppendAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        CheckAppend();
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<long>(cancellationToken);
        }

        if (!TryBeginWriteHere(buffer.Length, fileOffset: 0, out long begin))
        {
            return StartAppend(buffer, cancellationToken);
        }

        bool isAppended;
        long offset;
        try
        {
            isAppended = TryAppend(buffer.Span, out offset);
        }
        finally
        {
            EndWriteHere(begin, buffer.Length);
        }

        if (!isAppended)
        {
            return StartAppend(buffer, cancellationToken);
        }

        if (offset < 0)
        {
            return ValueTask.FromException<long>(ErrorOf((int)-offset, IoVerb.Append, -1));
        }

        IoMetrics.Note(this, IoVerb.Append, Carrier.Inline, buffer.Length);
        return new ValueTask<long>(offset);
    }

    /// <inheritdoc/>
    internal override long AppendBlocking(ReadOnlySpan<byte> buffer) =>
        !Libc.IsSupported ? AppendPortably(buffer) : buffer.IsEmpty ? LengthNow() : AppendTarget.Append(buffer);

    /// <summary>Appends without waiting for other appends of this handle; false if there is one, or nothing to append.</summary>
    private bool TryAppend(ReadOnlySpan<byte> bytes, out long offset)
    {
        using Reference reference = Hold();
        offset = 0;
        return !bytes.IsEmpty && AppendTarget.TryAppend(bytes, out offset);
    }

    /// <summary>Made by the first append; the caller holds a reference.</summary>
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

            // Either Dispose, which stores before it loads, finds the target, or the disposal is seen here.
            Interlocked.MemoryBarrier();
            if (_disposed)
            {
                target.Dispose();
            }

            return target;
        }
    }

    /// <summary>Not on Linux: atomic among the threads of this handle only.</summary>
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

    private ValueTask<long> StartAppend(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken)
    {
        IoOperation operation = IoOperation.ForAppend(this, buffer, cancellationToken);
        short version = operation.Version;
        operation.Start();
        return new ValueTask<long>(operation, version);
    }
}
