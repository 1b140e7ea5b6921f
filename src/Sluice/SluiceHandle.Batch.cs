using System.Buffers;
using System.Runtime.ExceptionServices;
using Sluice.Errors;
using Sluice.Interop;

namespace Sluice;

/// <summary>Many offsets, one submission.</summary>
public sealed partial class SluiceHandle
{
    /// <summary>
    /// Carries all reads out together and returns when all have ended. Each request then has its own result or error; after that the
    /// first error, if any, is thrown.
    /// </summary>
    /// <param name="requests">The reads; the order in which they are carried out is not defined.</param>
    /// <exception cref="ArgumentOutOfRangeException">An offset is negative; nothing has been read.</exception>
    /// <exception cref="NotSupportedException">The file cannot seek.</exception>
    public void ReadBatch(Span<ReadRequest> requests)
    {
        CheckBatch();
        foreach (ref ReadRequest request in requests)
        {
            CheckOffset(request.FileOffset);
            request.BytesRead = 0;
            request.Error = null;
        }

        bool added = false;
        BatchRing? ring = null;
        try
        {
            Hold(ref added);
            ring = RentBatchRing();
            if (ring is null)
            {
                ReadBatchByEngine(requests);
            }
            else
            {
                ReadBatchByRing(ring, requests);
            }
        }
        finally
        {
            ring?.Return();
            if (added)
            {
                ReleaseReference();
            }
        }

        foreach (ref ReadRequest request in requests)
        {
            ThrowIfFailed(request.Error);
        }
    }

    /// <summary>
    /// Carries all writes out together and returns when all have ended. Each request then has its own result or error; after that the
    /// first error, if any, is thrown. Requests that overlap leave either's bytes.
    /// </summary>
    /// <inheritdoc cref="ReadBatch"/>
    public void WriteBatch(Span<WriteRequest> requests)
    {
        CheckBatch();
        foreach (ref WriteRequest request in requests)
        {
            CheckOffset(request.FileOffset);
            request.BytesWritten = 0;
            request.Error = null;
        }

        bool added = false;
        BatchRing? ring = null;
        try
        {
            Hold(ref added);

            // Cached writes are memory copies, which a ring would only hand to a worker thread.
            ring = Alignment.Offset == 1 ? null : RentBatchRing();
            if (ring is not null)
            {
                WriteBatchByRing(ring, requests);
            }
            else if (IsCustomEngine || Alignment.Offset != 1 || !Libc.IsSupported)
            {
                WriteBatchByEngine(requests);
            }
            else
            {
                foreach (ref WriteRequest request in requests)
                {
                    WriteOne(ref request);
                }
            }
        }
        finally
        {
            ring?.Return();
            if (added)
            {
                ReleaseReference();
            }
        }

        foreach (ref WriteRequest request in requests)
        {
            ThrowIfFailed(request.Error);
        }
    }

    private static void ThrowIfFailed(Exception? error)
    {
        if (error is not null)
        {
            ExceptionDispatchInfo.Throw(error);
        }
    }

    private void CheckBatch()
    {
        ThrowIfClosed();
        if (!CanSeek)
        {
            IoErrors.ThrowUnseekable("A batch on", Path);
        }
    }

    private BatchRing? RentBatchRing() => !IsCustomEngine && EngineInUse is UringEngine ? BatchRing.TryRent() : null;

    private void ReadBatchByEngine(Span<ReadRequest> requests)
    {
#pragma warning disable CA2012 // Each is consumed once, below.
        ValueTask<int>[] tasks = ArrayPool<ValueTask<int>>.Shared.Rent(requests.Length);
        for (int i = 0; i < requests.Length; i++)
        {
            try
            {
                tasks[i] = StartRead(requests[i].Buffer, requests[i].FileOffset, 0, CancellationToken.None);
            }
            catch (Exception e)
            {
                // Closed meanwhile, or memory that cannot be pinned: those that run must still be waited for.
                requests[i].Error = e;
            }
        }
#pragma warning restore CA2012

        for (int i = 0; i < requests.Length; i++)
        {
            if (requests[i].Error is not null)
            {
                continue;
            }

            try
            {
                requests[i].BytesRead = Wait(tasks[i]);
            }
            catch (Exception e)
            {
                requests[i].Error = e;
            }
        }

        ArrayPool<ValueTask<int>>.Shared.Return(tasks, clearArray: true);
    }

    private void WriteBatchByEngine(Span<WriteRequest> requests)
    {
#pragma warning disable CA2012 // Each is consumed once, below.
        ValueTask[] tasks = ArrayPool<ValueTask>.Shared.Rent(requests.Length);
        for (int i = 0; i < requests.Length; i++)
        {
            try
            {
                tasks[i] = StartWrite(requests[i].Buffer, requests[i].FileOffset, 0, CancellationToken.None);
            }
            catch (Exception e)
            {
                // Closed meanwhile, or memory that cannot be pinned: those that run must still be waited for.
                requests[i].Error = e;
            }
        }
#pragma warning restore CA2012

        for (int i = 0; i < requests.Length; i++)
        {
            if (requests[i].Error is not null)
            {
                continue;
            }

            try
            {
                Wait(tasks[i]);
                requests[i].BytesWritten = requests[i].Buffer.Length;
            }
            catch (Exception e)
            {
                requests[i].Error = e;
            }
        }

        ArrayPool<ValueTask>.Shared.Return(tasks, clearArray: true);
    }
}
