namespace Sluice.Cli.Bench;

/// <summary>Keeps at least so many pool threads while a row runs: what .NET's blocking reads need to reach their depth.</summary>
internal sealed class PoolThreads : IDisposable
{
    private readonly int _workersBefore;
    private readonly int _completionPortsBefore;

    public PoolThreads(int count)
    {
        ThreadPool.GetMinThreads(out _workersBefore, out _completionPortsBefore);
        ThreadPool.SetMinThreads(Math.Max(count, _workersBefore), _completionPortsBefore);
    }

    /// <summary>Lets the pool have no more threads than a new process has, so that what ran before does not decide what comes.</summary>
    public static void StartAnew()
    {
        ThreadPool.GetMinThreads(out int minWorkers, out int minCompletionPorts);
        ThreadPool.GetMaxThreads(out int maxWorkers, out int maxCompletionPorts);
        // Lowering the limit takes the pool's own goal down with it, and raising the limit again leaves the goal where it is.
        ThreadPool.SetMaxThreads(minWorkers, minCompletionPorts);
        ThreadPool.SetMaxThreads(maxWorkers, maxCompletionPorts);
    }

    public void Dispose() => ThreadPool.SetMinThreads(_workersBefore, _completionPortsBefore);
}
