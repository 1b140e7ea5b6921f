using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using Sluice.Engines;
using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Uring;

namespace Sluice;

// Batches: many offsets, one submission.
public sealed partial class SluiceHandle
{
    /// <summary>Performs several reads at the same time, and returns when all of them have ended.</summary>
    /// <param name="requests">
    /// The reads, in any order. Each receives its own result: <see cref="ReadRequest.BytesRead"/>, and <see cref="ReadRequest.Error"/> if
    /// it failed.
    /// </param>
    /// <remarks>
    /// If a request fails, the other requests are still performed. Then the exception of the first failed request in
    /// <paramref name="requests"/> is thrown.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">An offset is negative. Nothing was read.</exception>
    /// <exception cref="NotSupportedException">The file cannot seek.</exception>
    /// <exception cref="UnauthorizedAccessException">The handle was not opened for reading.</exception>
    /// <exception cref="IOException">A request failed.</exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    public void ReadBatch(Span<ReadRequest> requests) => RunBatch(requests, isRead: true, isConcurrent: true);

    /// <summary>Performs several writes, and returns when all of them have ended.</summary>
    /// <param name="requests">
    /// The writes. Each receives its own result: <see cref="WriteRequest.BytesWritten"/>, and <see cref="WriteRequest.Error"/> if it
    /// failed.
    /// </param>
    /// <remarks>
    /// <para>
    /// The order of the writes is not defined. If two requests overlap, the overlapping range can contain the bytes of either request.
    /// </para>
    /// <para>
    /// If a request fails, the other requests are still performed. Then the exception of the first failed request in
    /// <paramref name="requests"/> is thrown.
    /// </para>
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">
    /// An offset is negative, and nothing was written; or the file would become larger than the file system or the process's file size
    /// limit allows.
    /// </exception>
    /// <exception cref="NotSupportedException">The file cannot seek.</exception>
    /// <exception cref="UnauthorizedAccessException">The handle was not opened for writing.</exception>
    /// <exception cref="IOException">A request failed.</exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    public void WriteBatch(Span<WriteRequest> requests)
    {
        // Cached writes are memory copies: a ring would hand them to a worker, and several threads do not make them faster.
        RunBatch(requests, isRead: false, isConcurrent: Caching == FileCaching.Direct || !Libc.IsSupported);
    }

    private void RunBatch<T>(Span<T> requests, bool isRead, bool isConcurrent)
        where T : struct, IBatchRequest
    {
        ThrowIfClosed();
        if (!CanSeek)
        {
            IoErrors.ThrowUnseekable("A batch on", Path);
        }

        foreach (ref T request in requests)
        {
            CheckOffset(request.FileOffset);
            request.Bytes = 0;
            request.Error = null;
        }

        using Reference reference = TakeReference();
        if (isConcurrent && !IsCustomEngine && EngineInUse is UringEngine && BatchRing.TryRent() is { } ring)
        {
            RunOnRing(ring, isRead, requests);
        }
        else if (isConcurrent && (isRead || !Libc.IsSupported) && !IsIntercepted && requests.Length > 1)
        {
            // Direct writes can wait for asynchronous writes of the same file, which need pool threads: helpers would hold these.
            T[] own = requests.ToArray();
            new SharedBatch<T>(this, own).Run();
            own.CopyTo(requests);
        }
        else
        {
            foreach (ref T request in requests)
            {
                SharedBatch<T>.RunOne(this, ref request);
            }
        }

        foreach (ref T request in requests)
        {
            if (request.Error is { } error)
            {
                ExceptionDispatchInfo.Throw(error);
            }
        }
    }

    /// <summary>
    /// Performs the requests in groups of at most <see cref="BatchRing.MaxEntries"/>. The buffer and the offset of a request are copied to
    /// its entry once, because other threads can change the caller's memory.
    /// </summary>
    private void RunOnRing<T>(BatchRing ring, bool isRead, Span<T> requests)
        where T : struct, IBatchRequest
    {
        BatchEntry[] entries = ring.Entries;
        int count = 0;
        try
        {
            for (int next = 0; next < requests.Length;)
            {
                for (count = 0; next < requests.Length && count < BatchRing.MaxEntries; next++)
                {
                    entries[count] = new BatchEntry { Request = next };
                    count += TryFill(ref requests[next], ref entries[count]) ? 1 : 0;
                }

                Run(ring, isRead, count);
                while (count > 0)
                {
                    ref BatchEntry entry = ref entries[--count];
                    ref T request = ref requests[entry.Request];
                    try
                    {
                        request.Take(this, entry);
                    }
                    catch (Exception e)
                    {
                        request.Error = e;
                    }

                    request.Error = Release(ref entry, request.Error);
                }
            }
        }
        finally
        {
            // Entries are left only after an exception.
            foreach (ref BatchEntry entry in entries.AsSpan(0, count))
            {
                _ = Release(ref entry, null);
            }

            ring.Return();
        }
    }

    private bool TryFill<T>(ref T request, ref BatchEntry entry)
        where T : struct, IBatchRequest
    {
        try
        {
            return request.Fill(this, ref entry);
        }
        catch (Exception e)
        {
            request.Error = Release(ref entry, e);
            return false;
        }
    }

    private void Run(BatchRing ring, bool isRead, int count)
    {
        if (isRead)
        {
            ring.Run(isRead: true, _fd, count, TransferFlags);
        }
        else if (DirectGate!.TryEnterShared())
        {
            try
            {
                ring.Run(isRead: false, _fd, count, TransferFlags);
            }
            finally
            {
                DirectGate.Exit();
            }
        }

        // If another call writes a partial page, nothing is submitted here. Take then performs each write as an operation, which waits for
        // the gate.
    }

    internal bool Fill(ref ReadRequest request, ref BatchEntry entry)
    {
        Memory<byte> buffer = request.Buffer;
        long offset = request.FileOffset;
        CheckOffset(offset);

        // Data in the page cache does not need a ring.
        if (buffer.IsEmpty || (_readsInline && TryReadCached(buffer.Span, offset, ref request)))
        {
            return false;
        }

        entry.Fill(buffer, offset);
        Align(ref entry);
        return true;
    }

    /// <summary>Uses a bounce buffer if the offset, the length or the caller's memory is not aligned.</summary>
    private void Align(ref BatchEntry entry)
    {
        FileAlignment alignment = Alignment;
        if (alignment.IsAligned(entry.Address, entry.Offset, entry.Length))
        {
            return;
        }

        if (!alignment.IsAligned(0, entry.Offset, entry.Length))
        {
            NoteEdge();
        }

        long start = entry.Offset & -(long)alignment.Offset;
        long end = (entry.Offset + entry.Length + alignment.Length - 1) & -(long)alignment.Length;
        entry.Bounce = AlignedBufferPool.Rent((int)Math.Min(end - start, DirectTransfer.MaxBounceBytes));
        entry.Skip = (int)(entry.Offset - start);
        entry.Offset = start;
        entry.Address = entry.Bounce.Address;
        entry.Length = (int)Math.Min(end - start, entry.Bounce.Length);
    }

    private bool TryReadCached(Span<byte> buffer, long offset, ref ReadRequest request)
    {
        int bytes = TransferCalls.ReadNoWait(_fd, buffer, offset, TransferFlags);
        if (bytes < 0 || (bytes < buffer.Length && !IsShortAtEnd(offset + bytes)))
        {
            return false;
        }

        request.BytesRead = bytes;
        AfterRead(offset, bytes);
        IoMetrics.Note(this, IoVerb.Read, CompletionPath.Inline, bytes);
        return true;
    }

    internal void Take(ref ReadRequest request, in BatchEntry entry)
    {
        Span<byte> buffer = entry.Memory;
        int got = Math.Max(entry.Result, 0);
        if (!entry.Bounce.IsEmpty)
        {
            got = Math.Clamp(got - entry.Skip, 0, buffer.Length);
            entry.Bounce.Span.Slice(entry.Skip, got).CopyTo(buffer);
        }

        // If the entry failed, or ended before the end of the file, Read reads the rest or throws the exception.
        bool isWhole = got == buffer.Length || (entry.Result > 0 && IsShortAtEnd(entry.RequestOffset + got))
            || (entry.Result == 0 && IsConfirmedEnd(entry.RequestOffset));
        request.BytesRead = isWhole ? got : got + Read(buffer[got..], entry.RequestOffset + got);
        AfterRead(entry.RequestOffset, request.BytesRead);
        IoMetrics.Note(this, IoVerb.Read, CompletionPath.Uring, got);
    }

    internal bool Fill(ref WriteRequest request, ref BatchEntry entry)
    {
        ReadOnlyMemory<byte> buffer = request.Buffer;
        long offset = request.FileOffset;
        FileAlignment alignment = Alignment;
        if (buffer.IsEmpty || buffer.Length > DirectTransfer.MaxBounceBytes || !alignment.IsAligned(0, offset, buffer.Length))
        {
            // An unaligned write has partial pages, which need an operation.
            Write(buffer.Span, offset);
            request.BytesWritten = buffer.Length;
            return false;
        }

        CheckOffset(offset);
        entry.Fill(MemoryMarshal.AsMemory(buffer), offset);
        if (!alignment.IsAligned(entry.Address, 0, 0))
        {
            entry.Bounce = AlignedBufferPool.Rent(entry.Length);
            entry.Address = entry.Bounce.Address;
            entry.Memory.CopyTo(entry.Bounce.Span);
        }

        return true;
    }

    internal void Take(ref WriteRequest request, in BatchEntry entry)
    {
        ReadOnlySpan<byte> bytes = entry.Memory;
        int done = Math.Max(entry.Result, 0);
        request.BytesWritten = done;
        if (entry.Result < 0 && entry.Result is not (-Errno.EAGAIN or -Errno.EINTR or -Errno.ECANCELED or -Errno.EINVAL))
        {
            ThrowFailed(-entry.Result, IoVerb.Write, entry.RequestOffset);
        }

        if (done < bytes.Length)
        {
            Write(bytes[done..], entry.RequestOffset + done);
        }

        request.BytesWritten = bytes.Length;
        if (done > 0)
        {
            IoMetrics.Note(this, IoVerb.Write, CompletionPath.Uring, done);
        }
    }

    /// <summary>
    /// Releases the pin and the bounce buffer of an entry. An exception of the caller's memory becomes the error of this request only.
    /// </summary>
    /// <returns>The first error of the request, or null.</returns>
    private static Exception? Release(ref BatchEntry entry, Exception? error)
    {
        PinnedMemory.Release(ref entry.Pin, ref error);
        entry.Bounce.Return();
        entry = default;
        return error;
    }
}
