namespace Sluice.Tests.Sequential;

/// <summary>Throws when it is told for the n-th time, and once only.</summary>
internal sealed class ThrowingProgress(int count, Exception? exception = null) : IProgress<long>
{
    private int _told;

    public bool HasThrown { get; private set; }

    public void Report(long value)
    {
        if (Interlocked.Increment(ref _told) == count)
        {
            HasThrown = true;
            throw exception ?? new InvalidTimeZoneException("progress");
        }
    }
}
