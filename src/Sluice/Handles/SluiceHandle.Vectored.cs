using Sluice.Engines;
using Sluice.Errors;
using Sluice.Handles;
using Sluice.Uring.Abi;

namespace Sluice;

// Scatter/gather: one file range, many buffers. Any number of segments, empty ones too, and more than 2 GiB in all.
public sealed partial class SluiceHandle
{
    /// <summary>Reads one range of the file into the buffers, one after another; returns how many bytes.</summary>
    /// <exception cref="ArgumentNullException"><paramref name="buffers"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="fileOffset"/> is negative.</exception>
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

    /// <summary>Writes all of the buffers, one after another, into one range of the file, or throws.</summary>
    /// <exception cref="ArgumentNullException"><paramref name="buffers"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="fileOffset"/> is negative.</exception>
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

    /// <summary>As <see cref="Read(IReadOnlyList{Memory{byte}}, long)"/>; the buffers belong to the transfer until the task has ended; the
    /// list is read once, before this returns.</summary>
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
            : new ValueTask<long>(StartVector(IoVerb.ReadVector, segments!, fileOffset, done, cancellationToken, out short version),
                version);
    }

    /// <summary>As <see cref="Write(IReadOnlyList{ReadOnlyMemory{byte}}, long)"/>; the buffers belong to the transfer until the task has
    /// ended; the list is read once, before this returns.</summary>
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
            : new ValueTask(StartVector(IoVerb.WriteVector, segments!, fileOffset, done, cancellationToken, out short version), version);
    }

    /// <summary>
    /// A few segments in one call on the caller's thread, where that is all there is to do. True when everything was transferred, or all up
    /// to the end of the file, or a write has failed, with a negative errno in <paramref name="done"/>; the cursor is given back then.
    /// False leaves what is behind <paramref name="done"/> to an operation.
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

        IoMetrics.Note(this, verb, Carrier.Inline, done);
        return error is null ? true : throw error;
    }

    /// <summary>True where the segments have no byte, or there are none; the cursor is given back then.</summary>
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
        segments.Segments.Length <= VectorCall.MaxSegments
        && (verb == IoVerb.ReadVector ? _readsInline : waits ? _writesInline : WritesInline)
        && (waits || (fileOffset >= 0 && segments.Total <= MaxInlineBytes && (verb == IoVerb.ReadVector || WritePace.AllowsInline)));

    private bool TransferInline(IoVerb verb, SegmentCursor segments, long fileOffset, bool waits, out long done)
    {
        using Reference reference = Hold();
        bool isRead = verb == IoVerb.ReadVector;
        RwFlags flags = isRead && !waits ? TransferFlags | RwFlags.NoWait : TransferFlags;
        bool isTimed = !isRead && !waits;
        long begin = isTimed ? WritePace.Begin() : 0;
        int result = VectorCall.Transfer(isRead, _fd, segments, fileOffset, flags);
        if (isTimed)
        {
            WritePace.End(begin, (int)segments.Total);
        }

        if (!isRead)
        {
            AfterWrite(fileOffset, result);
            done = OutcomeOf(result);
            return done < 0 || done == segments.Total;
        }

        done = Math.Max(result, 0);
        AfterRead(fileOffset, result);
        return result == segments.Total || (result >= 0 && IsShortAtEnd(fileOffset + result));
    }

    private IoOperation StartVector(
        IoVerb verb, SegmentCursor segments, long fileOffset, long done, CancellationToken cancellationToken, out short version)
    {
        IoOperation operation = IoOperation.ForVector(this, verb, segments, fileOffset, done, cancellationToken);
        version = operation.Version;
        operation.Start();
        return operation;
    }
}
