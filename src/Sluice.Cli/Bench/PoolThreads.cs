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

    public void Dispose() => ThreadPool.SetMinThreads(_workersBefore, _completionPortsBefore);
}
