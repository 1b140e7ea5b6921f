namespace Sluice.Tests.Support;

/// <summary>Does something once, in the middle of a copy, on its thread.</summary>
internal sealed class Within(Action action) : IProgress<CopyProgress>
{
    private int _isDone;

    public void Report(CopyProgress value)
    {
        if (Interlocked.Exchange(ref _isDone, 1) == 0)
        {
            action();
        }
    }
}
