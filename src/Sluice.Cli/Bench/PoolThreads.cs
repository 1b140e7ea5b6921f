namespace Sluice.Cli.Bench;

/// <summary>Keeps a minimum number of pool threads while a row runs: .NET's blocking reads need them to reach their depth.</summary>
internal sealed class PoolThreads : IDisposable
{
    private readonly int _workersBefore;
    private readonly int _completionPortsBefore;

    public PoolThreads(int count)
    {
        ThreadPool.GetMinThreads(out _workersBefore, out _completionPortsBefore);
        ThreadPool.SetMinThreads(Math.Max(count, _workersBefore), _completionPortsBefore);
    }

    /// <summary>Limits the pool to the threads of a new process, so that earlier rows do not influence later ones.</summary>
    public static void StartAnew()
    {
        ThreadPool.GetMinThreads(out int minWorkers, out int minCompletionPorts);
        ThreadPool.GetMaxThreads(out int maxWorkers, out int maxCompletionPorts);
        // Lowering the limit also lowers the pool's target, and raising the limit again leaves the target unchanged.
        ThreadPool.SetMaxThreads(minWorkers, minCompletionPorts);
        ThreadPool.SetMaxThreads(maxWorkers, maxCompletionPorts);
    }

    public void Dispose() => ThreadPool.SetMinThreads(_workersBefore, _completionPortsBefore);
}
