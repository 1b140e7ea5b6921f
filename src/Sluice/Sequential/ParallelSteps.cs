namespace Sluice.Sequential;

/// <summary>
/// Runs a limited number of steps at the same time on thread-pool threads, and stores their tasks in the order in which the steps were
/// started. Not thread-safe.
/// </summary>
/// <param name="degree">The maximum number of steps that run at the same time.</param>
/// <param name="ahead">The maximum number of steps whose results have not been taken.</param>
internal sealed class ParallelSteps<T>(int degree, int ahead)
{
    private readonly List<Task<T>> _begun = [];
    private readonly TaskScheduler _scheduler = new ConcurrentExclusiveSchedulerPair(TaskScheduler.Default, degree).ConcurrentScheduler;
    private volatile bool _isOver;

    public bool IsEmpty => _begun.Count == 0;

    public bool HasRoom => _begun.Count < ahead;

    public void Begin(Func<T> step) => _begun.Add(Task.Factory.StartNew(
        () => _isOver ? default! : step(), CancellationToken.None,
        TaskCreationOptions.DenyChildAttach | TaskCreationOptions.HideScheduler, _scheduler));

    /// <summary>Removes the task of the step that was started first, and returns it.</summary>
    public Task<T> TakeFirstAsync()
    {
        Task<T> first = _begun[0];
        _begun.RemoveAt(0);
        return first;
    }

    /// <summary>Waits until a step has ended, removes its task, and returns its result.</summary>
    public async Task<T> TakeAnyAsync()
    {
        Task<T> any = await Task.WhenAny(_begun).ConfigureAwait(false);
        _ = _begun.Remove(any);
        return await any.ConfigureAwait(false);
    }

    /// <summary>Waits until no step is running. Steps that have not started are canceled.</summary>
    public async Task EndAsync()
    {
        _isOver = true;
        await ((Task)Task.WhenAll(_begun)).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }
}
