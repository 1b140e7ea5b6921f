namespace Sluice.Tests.Support;

/// <summary>Does something whenever a copy reports its progress, on the reporting thread, one call at a time.</summary>
internal sealed class Telling(Action<CopyProgress> told) : IProgress<CopyProgress>
{
    private readonly Lock _lock = new();

    public void Report(CopyProgress value)
    {
        lock (_lock)
        {
            told(value);
        }
    }
}
