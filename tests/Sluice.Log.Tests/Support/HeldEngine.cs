namespace Sluice.Log.Tests.Support;

/// <summary>Holds writes until it is told to let them go.</summary>
internal sealed class HeldEngine : InterceptingEngine
{
    private TaskCompletionSource? _held;

    public override string Name => "held";

    public void Hold() => _held = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

    public void Release() => Interlocked.Exchange(ref _held, null)?.SetResult();

    protected override Interception OnSubmit(in IoSubmission submission) =>
        submission.IsWrite && Volatile.Read(ref _held) is { } held ? Interception.HoldUntil(() => held.Task) : Interception.PassOn;
}
