namespace Sluice.Hostile.Tests.Support;

/// <summary>Every transfer is made by the process's engine, and ends a little later, on a thread of the pool.</summary>
/// <param name="until">What each waits for; null for a moment.</param>
internal sealed class HeldEngine(Func<Task>? until = null) : InterceptingEngine
{
    private readonly Func<Task> _until = until ?? (static async () => await Task.Yield());

    public override string Name => $"held {Inner.Name}";

    protected override Interception OnSubmit(in IoSubmission submission) => Interception.HoldUntil(_until);
}
