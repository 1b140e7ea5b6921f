using Sluice.Engines;
using Sluice.Errors;
using Sluice.Uring.Abi;

namespace Sluice;

// Scatter/gather transfers: one range of a file, any number of buffers, some of which can be empty, and more than 2 GiB in total.
public sealed partial class SluiceHandle
{
    /// <summary>Reads bytes from the specified offset into several buffers, which are filled in order.</summary>
    /// <param name="buffers">
    /// The buffers that receive the bytes. There can be any number of them, their total length can exceed 2 GiB, and some can be empty.
    /// </param>
    /// <param name="fileOffset">The offset in the file, in bytes. It is ignored if the file cannot seek.</param>
    /// <returns>
    /// The number of bytes read; 0 at or after the end of the file. It is less than the total length of <paramref name="buffers"/> only at
    /// the end of the file, or for a file without a length, such as a pipe or a file in /proc.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="buffers"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="fileOffset"/> is negative, and the file can seek.</exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    /// <exception cref="UnauthorizedAccessException">The handle was not opened for reading.</exception>
    /// <exception cref="IOException">The operating system reported an error.</exception>
    public long Read(IReadOnlyList<Memory<byte>> buffers, long fileOffset)
    {
        ArgumentNullException.ThrowIfNull(buffers);
        CheckOffset(fileOffset);
        SegmentCursor? segments = SegmentCursor.Rent(buffers);
        if (IsNothing(segments))
        {
            ReadNothing(fileOffset);
            return 0;
        }

        return TryInline(IoVerb.ReadVector, ref segments, fileOffset, waits: true, out long done)
            ? done
            : IoOperation.ForVector(this, IoVerb.ReadVector, segments!, fileOffset, done, CancellationToken.None).RunToEnd();
    }

    /// <summary>Writes all bytes of several buffers, in order, at the specified offset.</summary>
    /// <param name="buffers">
    /// The buffers that contain the bytes. There can be any number of them, their total length can exceed 2 GiB, and some can be empty.
    /// </param>
    /// <param name="fileOffset">The offset in the file, in bytes. It is ignored if the file cannot seek.</param>
    /// <remarks>
    /// If the operating system handle was opened with O_APPEND, the bytes are written at the end of the file; see
    /// <see cref="Write(ReadOnlySpan{byte}, long)"/>.
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="buffers"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="fileOffset"/> is negative, and the file can seek; or the file would become larger than the file system allows.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    /// <exception cref="UnauthorizedAccessException">The handle was not opened for writing.</exception>
    /// <exception cref="IOException">The operating system reported an error. Some of the bytes may have been written.</exception>
    public void Write(IReadOnlyList<ReadOnlyMemory<byte>> buffers, long fileOffset)
    {
        ArgumentNullException.ThrowIfNull(buffers);
        CheckOffset(fileOffset);
        SegmentCursor? segments = SegmentCursor.Rent(buffers);
        if (IsNothing(segments))
        {
            return;
        }

        if (!TryInline(IoVerb.WriteVector, ref segments, fileOffset, waits: true, out long done))
        {
            _ = IoOperation.ForVector(this, IoVerb.WriteVector, segments!, fileOffset, done, CancellationToken.None).RunToEnd();
        }
        else if (done < 0)
        {
            ThrowFailed((int)-done, IoVerb.WriteVector, fileOffset);
        }
    }

    /// <summary>Asynchronously reads bytes from the specified offset into several buffers, which are filled in order.</summary>
    /// <param name="buffers">
    /// The buffers that receive the bytes. They must not be used until the returned task has completed, even after a cancellation. The list
    /// itself can be changed after this method returns.
    /// </param>
    /// <param name="fileOffset">The offset in the file, in bytes. It is ignored if the file cannot seek.</param>
    /// <param name="cancellationToken">The token to cancel the read.</param>
    /// <returns>A task whose result is the number of bytes read, as for <see cref="Read(IReadOnlyList{Memory{byte}}, long)"/>.</returns>
    /// <remarks>
    /// This method can copy up to 1 MiB from the page cache on the calling thread. It does not wait for the device there.
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="buffers"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="fileOffset"/> is negative, and the file can seek.</exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    /// <exception cref="UnauthorizedAccessException">The handle was not opened for reading.</exception>
    /// <exception cref="IOException">The operating system reported an error.</exception>
    /// <exception cref="OperationCanceledException">The read was canceled.</exception>
    public ValueTask<long> ReadAsync(IReadOnlyList<Memory<byte>> buffers, long fileOffset, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(buffers);
        CheckOffset(fileOffset);
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<long>(cancellationToken);
        }

        SegmentCursor? segments = SegmentCursor.Rent(buffers);
        if (IsNothing(segments))
        {
            return ReadNothingAsync<long>(fileOffset);
        }

        return TryInline(IoVerb.ReadVector, ref segments, fileOffset, waits: false, out long done)
            ? new ValueTask<long>(done)
            : IoOperation.ForVector(this, IoVerb.ReadVector, segments!, fileOffset, done, cancellationToken).StartLongTask();
    }

    /// <summary>Asynchronously writes all bytes of several buffers, in order, at the specified offset.</summary>
    /// <param name="buffers">
    /// The buffers that contain the bytes. Their content must not be changed until the returned task has completed, even after a
    /// cancellation. The list itself can be changed after this method returns.
    /// </param>
    /// <param name="fileOffset">The offset in the file, in bytes. It is ignored if the file cannot seek.</param>
    /// <param name="cancellationToken">The token to cancel the write.</param>
    /// <returns>A task that completes when all bytes are written.</returns>
    /// <remarks>
    /// This method can copy up to 1 MiB into the page cache on the calling thread, under the same conditions as
    /// <see cref="WriteAsync(ReadOnlyMemory{byte}, long, CancellationToken)"/>.
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="buffers"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="fileOffset"/> is negative, and the file can seek; or the file would become larger than the file system allows.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    /// <exception cref="UnauthorizedAccessException">The handle was not opened for writing.</exception>
    /// <exception cref="IOException">The operating system reported an error. Some of the bytes may have been written.</exception>
    /// <exception cref="OperationCanceledException">The write was canceled. Some of the bytes may have been written.</exception>
    public ValueTask WriteAsync(
        IReadOnlyList<ReadOnlyMemory<byte>> buffers, long fileOffset, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(buffers);
        CheckOffset(fileOffset);
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(cancellationToken);
        }

        SegmentCursor? segments = SegmentCursor.Rent(buffers);
        if (IsNothing(segments))
        {
            return ValueTask.CompletedTask;
        }

        return TryInline(IoVerb.WriteVector, ref segments, fileOffset, waits: false, out long done)
            ? done < 0 ? ValueTask.FromException(ErrorOf((int)-done, IoVerb.WriteVector, fileOffset)) : ValueTask.CompletedTask
            : IoOperation.ForVector(this, IoVerb.WriteVector, segments!, fileOffset, done, cancellationToken).StartTask();
    }

    /// <summary>
    /// Performs a transfer of a few segments with one call on the calling thread. Returns true if it is complete: all bytes were
    /// transferred, the file ended, or a write failed (<paramref name="done"/> is a negative errno); the cursor is then returned to its
    /// pool. If it returns false, an operation must transfer the bytes after <paramref name="done"/>.
    /// </summary>
    private bool TryInline(IoVerb verb, ref SegmentCursor? segments, long fileOffset, bool waits, out long done)
    {
        done = 0;
        try
        {
            if (!AllowsInline(verb, segments!, fileOffset, waits) || !TransferInline(verb, segments!, fileOffset, waits, out done))
            {
                return false;
            }
        }
        catch
        {
            _ = segments!.Return();
            throw;
        }

        SegmentCursor ended = segments!;
        segments = null;
        Exception? error = ended.Return();
        if (done < 0)
        {
            return true;
        }

        IoMetrics.Note(this, verb, CompletionPath.Inline, done);
        return error is null ? true : throw error;
    }

    /// <summary>Returns true if the segments have no bytes. The cursor is then returned to its pool.</summary>
    private static bool IsNothing(SegmentCursor segments)
    {
        bool isNothing = segments.Total == 0;
        if (isNothing)
        {
            _ = segments.Return();
        }

        return isNothing;
    }

    private bool AllowsInline(IoVerb verb, SegmentCursor segments, long fileOffset, bool waits) =>
        (verb == IoVerb.ReadVector ? _readsInline : _writesInline)
        && (waits || (fileOffset >= 0 && segments.Total <= InlineLimit));

    private bool TransferInline(IoVerb verb, SegmentCursor segments, long fileOffset, bool waits, out long done)
    {
        done = 0;
        if (verb == IoVerb.WriteVector)
        {
            long begin = 0;
            if (!waits && !TryBeginWriteHere(out begin))
            {
                return false;
            }

            try
            {
                using Reference written = TakeReference();
                done = segments.Transfer(isRead: false, _fd, fileOffset, TransferFlags);
                AfterWrite(fileOffset, (int)done);
            }
            finally
            {
                if (!waits)
                {
                    EndWriteHere(begin, segments.Total);
                }
            }

            done = OutcomeOf((int)done);
            return done < 0 || done == segments.Total;
        }

        using Reference reference = TakeReference();
        int result = segments.Transfer(isRead: true, _fd, fileOffset, waits ? TransferFlags : TransferFlags | RwFlags.NoWait);
        done = Math.Max(result, 0);
        AfterRead(fileOffset, result);
        return result == segments.Total || (result >= 0 && IsShortAtEnd(fileOffset + result));
    }
}
