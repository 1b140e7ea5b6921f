using Sluice.Engines;
using Sluice.Kernel;

namespace Sluice.Handles;

/// <summary>
/// Requests that the calling thread performs one after another, with the help of free thread-pool threads. Helpers are optional: one that
/// starts too late finds no request left.
/// </summary>
#pragma warning disable CA1001 // The wait handle, which alone would need disposal, is never used.
internal sealed class SharedBatch<T>(SluiceHandle handle, T[] requests) : IThreadPoolWorkItem
    where T : struct, IBatchRequest
#pragma warning restore CA1001
{
    private static int MaxHelpers => Tuning.MaxBatchThreads;

    private readonly SemaphoreSlim _done = new(0);
    private int _taken;
    private int _left = requests.Length;

    /// <summary>Performs one request. An exception is stored in the request.</summary>
    public static void RunOne(SluiceHandle handle, ref T request)
    {
        try
        {
            request.Run(handle);
        }
        catch (Exception e)
        {
            request.Error = e;
        }
    }

    /// <summary>Performs all requests. Nothing uses the requests after this method has returned or thrown.</summary>
    public void Run()
    {
        try
        {
            for (int i = 1; i < Math.Min(requests.Length, MaxHelpers); i++)
            {
                PoolWork.Queue(this);
            }
        }
        finally
        {
            Execute();
            Wait();
        }
    }

    public void Execute()
    {
        int next;
        while ((next = Interlocked.Increment(ref _taken) - 1) < requests.Length)
        {
            RunOne(handle, ref requests[next]);
            if (Interlocked.Decrement(ref _left) == 0)
            {
                _done.Release();
            }
        }
    }

    /// <summary>Waits for the helpers. They use the caller's memory, so <see cref="Thread.Interrupt"/> does not end the wait.</summary>
    private void Wait()
    {
        bool isInterrupted = false;
        while (true)
        {
            try
            {
                _done.Wait();
                break;
            }
            catch (ThreadInterruptedException)
            {
                isInterrupted = true;
            }
        }

        if (isInterrupted)
        {
            Thread.CurrentThread.Interrupt();
        }
    }
}
