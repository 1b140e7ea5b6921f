using Sluice.Engines;
using Sluice.Kernel;

namespace Sluice.Handles;

/// <summary>
/// Requests that the calling thread carries out one after another, with the help of those threads of the pool that are free. None of them
/// is needed: a helper that comes late finds nothing left.
/// </summary>
#pragma warning disable CA1001 // Nobody asks the semaphore for a wait handle, and only that would have to be disposed.
internal sealed class SharedBatch<T>(SluiceHandle handle, T[] requests, SharedBatch<T>.Action action) : IThreadPoolWorkItem
#pragma warning restore CA1001
{
    private static int MaxHelpers => Tuning.MaxBatchThreads;

    private readonly SemaphoreSlim _done = new(0);
    private int _taken;
    private int _left = requests.Length;

    /// <summary>Carries one request out; does not throw.</summary>
    public delegate void Action(SluiceHandle handle, ref T request);

    /// <summary>All requests have been carried out when this returns or throws.</summary>
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
            action(handle, ref requests[next]);
            if (Interlocked.Decrement(ref _left) == 0)
            {
                _done.Release();
            }
        }
    }

    /// <summary>
    /// Waits for helpers that carry out requests. They use the caller's memory, so <see cref="Thread.Interrupt"/> does not end the wait.
    /// </summary>
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
