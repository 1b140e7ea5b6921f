namespace Sluice.Sequential;

/// <summary>
/// Runs steps on thread-pool threads, a limited number of them at the same time, and keeps their tasks in the order in which the steps were
/// begun. Not thread-safe.
/// </summary>
/// <param name="degree">Steps that run at the same time.</param>
/// <param name="ahead">Steps that are begun and not taken.</param>
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

    /// <summary>Waits for the step that was begun first.</summary>
    public Task<T> TakeFirstAsync()
    {
        Task<T> first = _begun[0];
        _begun.RemoveAt(0);
        return first;
    }

    /// <summary>Waits for the step that ends first.</summary>
    public async Task<T> TakeAnyAsync()
    {
        Task<T> any = await Task.WhenAny(_begun).ConfigureAwait(false);
        _ = _begun.Remove(any);
        return await any.ConfigureAwait(false);
    }

    /// <summary>Returns when no step is running. Steps that have not started never run.</summary>
    public async Task EndAsync()
    {
        _isOver = true;
        await ((Task)Task.WhenAll(_begun)).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }
}
