using System.Runtime.ExceptionServices;
using Sluice.Engines;
using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;

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
    public void ReadBatch(Span<ReadRequest> requests)
    {
        CheckBatch();
        foreach (ref ReadRequest request in requests)
        {
            CheckOffset(request.FileOffset);
            request.BytesRead = 0;
            request.Error = null;
        }

        using Reference reference = Hold();
        if (RentBatchRing() is { } ring)
        {
            try
            {
                ReadBatchByRing(ring, requests);
            }
            finally
            {
                ring.Return();
            }
        }
        else
        {
            RunOnThreads(requests, static (SluiceHandle handle, ref ReadRequest request) => handle.ReadOne(ref request));
        }

        foreach (ref ReadRequest request in requests)
        {
            ThrowIfFailed(request.Error);
        }
    }

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
        CheckBatch();
        foreach (ref WriteRequest request in requests)
        {
            CheckOffset(request.FileOffset);
            request.BytesWritten = 0;
            request.Error = null;
        }

        using Reference reference = Hold();
        if (Caching != FileCaching.Direct && !IsIntercepted && Libc.IsSupported)
        {
            // Cached writes are memory copies, which a ring would hand to a worker thread.
            foreach (ref WriteRequest request in requests)
            {
                WriteOne(ref request);
            }
        }
        else if (Caching == FileCaching.Direct && RentBatchRing() is { } ring)
        {
            try
            {
                WriteBatchByRing(ring, requests);
            }
            finally
            {
                ring.Return();
            }
        }
        else
        {
            RunOnThreads(requests, static (SluiceHandle handle, ref WriteRequest request) => handle.WriteOne(ref request));
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

    private void RunOnThreads<T>(Span<T> requests, SharedBatch<T>.Action action)
    {
        if (requests.Length < 2 || IsIntercepted)
        {
            foreach (ref T request in requests)
            {
                action(this, ref request);
            }

            return;
        }

        T[] own = requests.ToArray();
        new SharedBatch<T>(this, own, action).Run();
        own.CopyTo(requests);
    }

    private void ReadOne(ref ReadRequest request)
    {
        try
        {
            request.BytesRead = Read(request.Buffer.Span, request.FileOffset);
        }
        catch (Exception e)
        {
            request.Error = e;
        }
    }

    private void WriteOne(ref WriteRequest request)
    {
        try
        {
            ReadOnlySpan<byte> bytes = request.Buffer.Span;
            Write(bytes, request.FileOffset);
            request.BytesWritten = bytes.Length;
        }
        catch (Exception e)
        {
            request.Error = e;
        }
    }
}
