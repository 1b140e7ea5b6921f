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

    /// <summary>All requests have been carried out when this returns.</summary>
    public void Run()
    {
        for (int i = 1; i < Math.Min(requests.Length, MaxHelpers); i++)
        {
            PoolWork.Queue(this);
        }

        Execute();

        // Helpers at work have a thread already, and they use memory of the caller: Thread.Interrupt does not end this wait.
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
}
