using Sluice.Buffers;
using Sluice.Errors;
using Sluice.Interop;
using Sluice.Uring;

namespace Sluice;

/// <summary>Batches on a ring that is theirs alone while they run.</summary>
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
                for (; next < requests.Length && count < BatchRing.MostEntries; next++)
                {
                    if (!TryReadCached(ref requests[next]))
                    {
                        FillRead(ref entries[count], requests[next], next);
                        count++;
                    }
                }

                ring.Run(isRead: true, _fd, count, Flags);
                for (int i = 0; i < count; i++)
                {
                    TakeRead(ref requests[entries[i].Request], entries[i]);
                }
            }
            finally
            {
                Release(entries.AsSpan(0, count));
            }
        }
    }

    /// <summary>What lies in the page cache needs no ring.</summary>
    private bool TryReadCached(ref ReadRequest request)
    {
        if (request.Buffer.IsEmpty)
        {
            return true;
        }

        if (!_readsInline)
        {
            return false;
        }

        int bytes = LinuxTransfer.ReadNoWait(_fd, request.Buffer.Span, request.FileOffset, Flags);
        if (bytes < 0 || (bytes < request.Buffer.Length && !IsAtEnd(request.FileOffset + bytes)))
        {
            return false;
        }

        request.BytesRead = bytes;
        AfterRead(request.FileOffset, bytes);
        return true;
    }

    private void FillRead(ref BatchEntry entry, in ReadRequest request, int index)
    {
        entry = default;
        entry.Request = index;
        entry.Offset = request.FileOffset;
        entry.Length = request.Buffer.Length;
        entry.Pin = request.Buffer.Pin();
        entry.Address = PinnedMemory.AddressOf(entry.Pin);
        FileAlignment alignment = Alignment;
        if (alignment.Offset == 1 || alignment.IsAligned(entry.Address, entry.Offset, entry.Length))
        {
            return;
        }

        long start = entry.Offset & -(long)alignment.Offset;
        long end = (entry.Offset + entry.Length + alignment.Length - 1) & -(long)alignment.Length;
        entry.Bounce = AlignedBufferPool.Rent((int)Math.Min(end - start, DirectTransfer.MostBounceBytes));
        entry.Skip = (int)(entry.Offset - start);
        entry.Offset = start;
        entry.Address = entry.Bounce.Address;
        entry.Length = (int)Math.Min(end - start, entry.Bounce.Length);
    }

    private void TakeRead(ref ReadRequest request, in BatchEntry entry)
    {
        int got = entry.Result;
        if (got >= 0 && entry.Bounce is { } bounce)
        {
            got = Math.Clamp(got - entry.Skip, 0, request.Buffer.Length);
            bounce.Span.Slice(entry.Skip, got).CopyTo(request.Buffer.Span);
        }

        try
        {
            // The whole, or all there is; the rest of a short read, and an error's second try and exception, by the scalar way.
            request.BytesRead = got == request.Buffer.Length || (got >= 0 && IsAtEnd(request.FileOffset + got))
                ? got
                : Math.Max(got, 0) + Read(request.Buffer.Span[Math.Max(got, 0)..], request.FileOffset + Math.Max(got, 0));
            AfterRead(request.FileOffset, request.BytesRead);
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
            try
            {
                RunGatedWrites(ring, requests, ref next, ref count);

                // Outside the gate: the rest of a short write enters it again.
                for (int i = 0; i < count; i++)
                {
                    TakeWrite(ref requests[entries[i].Request], entries[i]);
                }
            }
            finally
            {
                Release(entries.AsSpan(0, count));
            }

            if (count < BatchRing.MostEntries && next < requests.Length)
            {
                // One that is not aligned has edges to merge, and needs the gate for itself.
                WriteOne(ref requests[next]);
                next++;
            }
        }
    }

    /// <summary>Carries out the next aligned writes, as far as the gate is open; all have ended when this returns.</summary>
    private void RunGatedWrites(BatchRing ring, Span<WriteRequest> requests, ref int next, ref int count)
    {
        if (!DirectGate!.TryEnterShared())
        {
            return;
        }

        try
        {
            for (; next < requests.Length && count < BatchRing.MostEntries; next++)
            {
                if (!FillWrite(ref ring.Entries[count], requests[next], next))
                {
                    break;
                }

                count++;
            }

            ring.Run(isRead: false, _fd, count, Flags);
        }
        finally
        {
            DirectGate.ExitShared();
        }
    }

    private bool FillWrite(ref BatchEntry entry, in WriteRequest request, int index)
    {
        FileAlignment alignment = Alignment;
        int length = request.Buffer.Length;
        if (length == 0 || length > DirectTransfer.MostBounceBytes || !alignment.IsAligned(0, request.FileOffset, length))
        {
            return false;
        }

        entry = default;
        entry.Request = index;
        entry.Offset = request.FileOffset;
        entry.Length = length;
        entry.Pin = request.Buffer.Pin();
        entry.Address = PinnedMemory.AddressOf(entry.Pin);
        if (!alignment.IsAligned(entry.Address, 0, 0))
        {
            entry.Bounce = AlignedBufferPool.Rent(length);
            entry.Address = entry.Bounce.Address;
            request.Buffer.Span.CopyTo(entry.Bounce.Span);
        }

        return true;
    }

    private void TakeWrite(ref WriteRequest request, in BatchEntry entry)
    {
        if (entry.Result == request.Buffer.Length)
        {
            request.BytesWritten = entry.Result;
            return;
        }

        // The rest of a short write, or the error with its exception. A rest is not aligned only when the disk is full or it fails.
        int done = Math.Max(entry.Result, 0);
        try
        {
            bool aligned = Alignment.IsAligned(0, request.FileOffset + done, request.Buffer.Length - done);
            if (entry.Result < 0 && !(entry.Result is -Errno.EAGAIN or -Errno.EINTR or -Errno.ECANCELED or -Errno.EINVAL) || !aligned)
            {
                IoErrors.Throw(entry.Result < 0 ? -entry.Result : Errno.EIO, IoVerb.Write, Path, request.FileOffset + done);
            }

            WriteAll(request.Buffer.Span[done..], request.FileOffset + done);
            request.BytesWritten = request.Buffer.Length;
        }
        catch (Exception e)
        {
            request.BytesWritten = done;
            request.Error = e;
        }
    }

    private void WriteOne(ref WriteRequest request)
    {
        try
        {
            WriteAll(request.Buffer.Span, request.FileOffset);
            request.BytesWritten = request.Buffer.Length;
        }
        catch (Exception e)
        {
            request.Error = e;
        }
    }

    private static void Release(Span<BatchEntry> entries)
    {
        foreach (ref BatchEntry entry in entries)
        {
            entry.Pin.Dispose();
            if (entry.Bounce is { } bounce)
            {
                AlignedBufferPool.Return(bounce);
            }

            entry = default;
        }
    }
}
