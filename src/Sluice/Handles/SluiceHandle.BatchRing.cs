using Sluice.Engines;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Uring;

namespace Sluice;

// Batches on a ring that this call has exclusively. Each request is read once, when its entry is created.
public sealed partial class SluiceHandle
{
    private void ReadBatchByRing(BatchRing ring, Span<ReadRequest> requests)
    {
        BatchEntry[] entries = ring.Entries;
        int next = 0;
        while (next < requests.Length)
        {
            int count = 0;
            try
            {
                for (; next < requests.Length && count < BatchRing.MaxEntries; next++)
                {
                    if (FillRead(ref entries[count], ref requests[next], next))
                    {
                        count++;
                    }
                }

                ring.Run(isRead: true, _fd, 0, count, TransferFlags);
                for (int i = 0; i < count; i++)
                {
                    TakeRead(ref requests[entries[i].Request], entries[i]);
                }
            }
            finally
            {
                foreach (ref BatchEntry entry in entries.AsSpan(0, count))
                {
                    ref ReadRequest request = ref requests[entry.Request];
                    request.Error = Release(ref entry, request.Error);
                }
            }
        }
    }

    /// <summary>Returns false if the request has completed: data in the page cache does not need a ring.</summary>
    private bool FillRead(ref BatchEntry entry, ref ReadRequest request, int index)
    {
        entry = default;
        try
        {
            Memory<byte> buffer = request.Buffer;
            long offset = request.FileOffset;
            CheckOffset(offset);
            if (buffer.IsEmpty || (_readsInline && TryReadCached(buffer.Span, offset, ref request)))
            {
                return false;
            }

            entry.Fill(buffer, index, offset);
            Align(ref entry);
            return true;
        }
        catch (Exception e)
        {
            request.Error = Release(ref entry, e);
            return false;
        }
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
        IoMetrics.Note(this, IoVerb.Read, Carrier.Inline, bytes);
        return true;
    }

    private void TakeRead(ref ReadRequest request, in BatchEntry entry)
    {
        Span<byte> buffer = entry.Memory;
        int got = Math.Max(entry.Result, 0);
        if (!entry.Bounce.IsEmpty)
        {
            got = Math.Clamp(got - entry.Skip, 0, buffer.Length);
            entry.Bounce.Span.Slice(entry.Skip, got).CopyTo(buffer);
        }

        try
        {
            // Reads the rest after a short read or an error with the scalar method, which also creates the exception.
            bool isWhole = got == buffer.Length || (entry.Result > 0 && IsShortAtEnd(entry.Place + got))
                || (entry.Result == 0 && IsConfirmedEnd(entry.Place));
            request.BytesRead = isWhole ? got : got + Read(buffer[got..], entry.Place + got);
            AfterRead(entry.Place, request.BytesRead);
            IoMetrics.Note(this, IoVerb.Read, Carrier.Uring, got);
        }
        catch (Exception e)
        {
            request.Error = e;
        }
    }

    private void WriteBatchByRing(BatchRing ring, Span<WriteRequest> requests)
    {
        BatchEntry[] entries = ring.Entries;
        int next = 0;
        while (next < requests.Length)
        {
            int count = 0;
            bool isHeldUp = false;
            try
            {
                // Outside the gate, because this calls user code (the memory), which must not block others.
                for (; next < requests.Length && count < BatchRing.MaxEntries && !isHeldUp; next++)
                {
                    if (FillWrite(ref entries[count], ref requests[next], next, out isHeldUp))
                    {
                        count++;
                    }
                }

                // If the gate is closed, the first remaining write is performed by an operation, which waits for the gate.
                int first = 0;
                while (first < count && !TryRunGated(ring, first, count))
                {
                    TakeWrite(ref requests[entries[first].Request], entries[first]);
                    first++;
                }

                // Outside the gate: writing the rest of a short write enters the gate again.
                for (; first < count; first++)
                {
                    TakeWrite(ref requests[entries[first].Request], entries[first]);
                }
            }
            finally
            {
                foreach (ref BatchEntry entry in entries.AsSpan(0, count))
                {
                    ref WriteRequest request = ref requests[entry.Request];
                    request.Error = Release(ref entry, request.Error);
                }
            }

            if (isHeldUp)
            {
                // An unaligned write has partial pages, which need an operation.
                WriteOne(ref requests[next - 1]);
            }
        }
    }

    /// <summary>Performs the entries, all of which have ended when this method returns. Returns false if the gate is closed.</summary>
    private bool TryRunGated(BatchRing ring, int first, int end)
    {
        if (!DirectGate!.TryEnterShared())
        {
            return false;
        }

        try
        {
            ring.Run(isRead: false, _fd, first, end, TransferFlags);
            return true;
        }
        finally
        {
            DirectGate.Exit();
        }
    }

    /// <summary>Returns false if the request failed or cannot use the ring.</summary>
    private bool FillWrite(ref BatchEntry entry, ref WriteRequest request, int index, out bool isHeldUp)
    {
        entry = default;
        ReadOnlyMemory<byte> buffer = request.Buffer;
        long offset = request.FileOffset;
        FileAlignment alignment = Alignment;
        isHeldUp = buffer.IsEmpty || buffer.Length > DirectTransfer.MaxBounceBytes || !alignment.IsAligned(0, offset, buffer.Length);
        if (isHeldUp)
        {
            return false;
        }

        try
        {
            CheckOffset(offset);
            entry.Fill(System.Runtime.InteropServices.MemoryMarshal.AsMemory(buffer), index, offset);
            if (!alignment.IsAligned(entry.Address, 0, 0))
            {
                entry.Bounce = AlignedBufferPool.Rent(entry.Length);
                entry.Address = entry.Bounce.Address;
                entry.Memory.CopyTo(entry.Bounce.Span);
            }

            return true;
        }
        catch (Exception e)
        {
            request.Error = Release(ref entry, e);
            return false;
        }
    }

    private void TakeWrite(ref WriteRequest request, in BatchEntry entry)
    {
        ReadOnlySpan<byte> bytes = entry.Memory;
        int done = Math.Max(entry.Result, 0);
        try
        {
            bool isPassing = entry.Result >= 0 || entry.Result is -Errno.EAGAIN or -Errno.EINTR or -Errno.ECANCELED or -Errno.EINVAL;
            if (!isPassing)
            {
                ThrowFailed(-entry.Result, IoVerb.Write, entry.Place);
            }

            if (done < bytes.Length)
            {
                Write(bytes[done..], entry.Place + done);
            }

            request.BytesWritten = bytes.Length;
            if (done > 0)
            {
                IoMetrics.Note(this, IoVerb.Write, Carrier.Uring, done);
            }
        }
        catch (Exception e)
        {
            request.BytesWritten = done;
            request.Error = e;
        }
    }

    /// <summary>
    /// Releases the pin and the bounce buffer of an entry. An exception of the caller's memory becomes the error of this request only.
    /// </summary>
    /// <returns>The request's first error.</returns>
    private static Exception? Release(ref BatchEntry entry, Exception? error)
    {
        PinnedMemory.Release(ref entry.Pin, ref error);
        entry.Bounce.Return();
        entry = default;
        return error;
    }
}
