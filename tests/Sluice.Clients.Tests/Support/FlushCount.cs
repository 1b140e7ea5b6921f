namespace Sluice.Clients.Tests.Support;

/// <summary>Counts the flushes to the disk of the handles that are opened with it.</summary>
internal sealed class FlushCount : InterceptingEngine
{
    private long _flushes;

    public override string Name => "counting flushes";

    /// <summary>Gets what is done before each flush.</summary>
    public Action? OnFlush { get; init; }

    public long Flushes => Interlocked.Read(ref _flushes);

    protected override Interception OnSubmit(in IoSubmission submission)
    {
        if (!submission.IsRead && !submission.IsWrite)
        {
            Interlocked.Increment(ref _flushes);
            OnFlush?.Invoke();
        }

        return default;
    }
}
