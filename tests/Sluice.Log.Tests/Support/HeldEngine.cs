namespace Sluice.Log.Tests.Support;

/// <summary>Holds operations until it is told to let them go.</summary>
/// <param name="holds">Which; null for writes.</param>
internal sealed class HeldEngine(Func<IoSubmission, bool>? holds = null) : InterceptingEngine
{
    private TaskCompletionSource? _held;
    private int _count;

    public override string Name => "held";

    /// <summary>How many were held.</summary>
    public int Count => Volatile.Read(ref _count);

    public void Hold() => _held = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

    public void Release() => Interlocked.Exchange(ref _held, null)?.SetResult();

    protected override Interception OnSubmit(in IoSubmission submission)
    {
        if (Volatile.Read(ref _held) is not { } held || !(holds?.Invoke(submission) ?? submission.IsWrite))
        {
            return Interception.PassOn;
        }

        Interlocked.Increment(ref _count);
        return Interception.HoldUntil(() => held.Task);
    }
}
