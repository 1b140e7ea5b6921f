namespace Sluice.Hostile.Tests.Support;

/// <summary>Every transfer is made by the process's engine, and ends a little later, on a thread of the pool.</summary>
internal sealed class HeldEngine : InterceptingEngine
{
    public override string Name => $"held {Inner.Name}";

    protected override Interception OnSubmit(in IoSubmission submission) => Interception.HoldUntil(static async () => await Task.Yield());
}
