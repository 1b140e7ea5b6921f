namespace Sluice.Log.Tests.Support;

/// <summary>Counts flushes, and does something else after the first was made and before it ends.</summary>
internal sealed class BusyFlushEngine(Action meanwhile) : InterceptingEngine
{
    private int _count;

    public override string Name => "busy";

    public int Count => Volatile.Read(ref _count);

    protected override Interception OnSubmit(in IoSubmission submission) =>
        !submission.IsRead && !submission.IsWrite && Interlocked.Increment(ref _count) == 1
            ? Interception.HoldUntil(() => Task.Run(meanwhile))
            : Interception.PassOn;
}
