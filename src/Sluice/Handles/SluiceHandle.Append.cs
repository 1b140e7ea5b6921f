using Sluice.Engines;
using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Memory;

namespace Sluice;

// True append: the kernel finds the end of file and writes there in one step (RWF_APPEND).
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
        // Whoever writes for all who append at once takes one reference for them all.
        if (Caching == FileCaching.Direct || IsIntercepted || !Libc.IsSupported)
        {
            return IoOperation.Append(this, buffer);
        }

        long landed = AppendCombined(buffer, isHeld: false);
        IoMetrics.Note(this, IoVerb.Append, Carrier.Inline, buffer.Length);
        return landed;
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

        if (!WritesInline || buffer.Length > MaxInlineBytes || !WritePace.AllowsInline)
        {
            return StartAppend(buffer, cancellationToken);
        }

        try
        {
            long begin = WritePace.Begin();
            long landed = Append(buffer.Span);
            WritePace.End(begin, buffer.Length);
            return new ValueTask<long>(landed);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException)
        {
            return ValueTask.FromException<long>(e);
        }
    }

    /// <inheritdoc/>
    internal override long AppendBlocking(ReadOnlySpan<byte> buffer)
    {
        if (!Libc.IsSupported)
        {
            return AppendPortably(buffer);
        }

        // A direct file ends anywhere in a block: appends go through the page cache, by a descriptor without O_DIRECT.
        long begin = WritePace.Begin();
        long landed = TryAppendCombined(buffer, isHeld: true);
        WritePace.End(begin, buffer.Length);
        if (landed == AppendCombiner.Closed)
        {
            // No errno: whoever takes it for one has appended nothing, and is told that it did.
            IoErrors.ThrowClosed(Path);
        }

        return landed;
    }

    private long AppendCombined(ReadOnlySpan<byte> buffer, bool isHeld)
    {
        long landed = TryAppendCombined(buffer, isHeld);
        if (landed < 0)
        {
            if (landed == AppendCombiner.Closed)
            {
                IoErrors.ThrowClosed(Path);
            }

            ThrowFailed((int)-landed, IoVerb.Append, -1);
        }

        return landed;
    }

    /// <summary>
    /// Where it landed, a negative errno, or <see cref="AppendCombiner.Closed"/>, which nobody gets who holds a reference.
    /// </summary>
    private long TryAppendCombined(ReadOnlySpan<byte> buffer, bool isHeld) =>
        buffer.IsEmpty ? LengthNow() : ((AppendCombiner?)_extras?.Appender ?? MakeCombiner()).Append(buffer, isHeld);

    private AppendCombiner MakeCombiner()
    {
        using Reference reference = Hold();
        OpenFileExtras extras = Extras;
        using (extras.Lock.EnterUninterrupted())
        {
            if (extras.Appender is not AppendCombiner combiner)
            {
                extras.Appender = combiner = new AppendCombiner(new AppendTarget(this), _file);
            }

            // Whoever disposes of the handle sees what is stored there, or it is seen here that they do.
            Interlocked.MemoryBarrier();
            if (_disposed)
            {
                // Nobody else will any more.
                combiner.Dispose();
            }

            return combiner;
        }
    }

    /// <summary>Where there is no RWF_APPEND: atomic among the threads of this handle only.</summary>
    private long AppendPortably(ReadOnlySpan<byte> buffer)
    {
        using (Extras.Lock.EnterUninterrupted())
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
