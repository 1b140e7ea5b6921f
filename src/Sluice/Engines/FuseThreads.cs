namespace Sluice.Engines;

/// <summary>
/// Threads that make blocking calls on one FUSE file system in place of pool threads that have submitted to a ring. The kernel posts the
/// completions of what a thread has submitted when that thread next leaves the kernel: a server that does not answer would hold back the
/// completions of other files (0017). Thread-safe.
/// </summary>
internal sealed class FuseThreads
{
    private const int MaxThreads = 64;
    private const int IdleMs = 5000;

    private readonly object _lock = new();
    private readonly Queue<IoOperation> _waiting = new();
    private int _threads;
    private int _idle;

    [ThreadStatic]
    private static bool t_hasSubmitted;

    /// <summary>Records that the calling thread submits to a ring on which other threads wait.</summary>
    public static void NoteSubmission() => t_hasSubmitted = true;

    /// <summary>
    /// Queues an operation on FUSE if the calling pool thread has submitted to a ring. Returns false if the thread is to run it itself.
    /// </summary>
    public static bool TryQueue(IoOperation operation) =>
        t_hasSubmitted && operation.Handle.FuseThreads is { } threads && threads.TryAdd(operation);

    private bool TryAdd(IoOperation operation)
    {
        lock (_lock)
        {
            if (_waiting.Count >= _idle && _threads < MaxThreads && !TryStart())
            {
                return false;
            }

            _waiting.Enqueue(operation);
            Monitor.Pulse(_lock);
            return true;
        }
    }

    private bool TryStart()
    {
        try
        {
            new Thread(Work) { IsBackground = true, Name = "Sluice calls on FUSE" }.UnsafeStart();
            _threads++;
            return true;
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            return false;
        }
    }

    private void Work()
    {
        while (Take() is { } operation)
        {
            ThreadPoolEngine.Run(operation, isPooled: true, mayRunContinuation: false);
        }
    }

    private IoOperation? Take()
    {
        lock (_lock)
        {
            while (_waiting.Count == 0)
            {
                _idle++;
                bool isPulsed = Monitor.Wait(_lock, IdleMs);
                _idle--;
                if (!isPulsed && _waiting.Count == 0)
                {
                    _threads--;
                    return null;
                }
            }

            return _waiting.Dequeue();
        }
    }
}
