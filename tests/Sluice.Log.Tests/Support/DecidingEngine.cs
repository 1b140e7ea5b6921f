namespace Sluice.Log.Tests.Support;

/// <summary>Asks, from <see cref="Begin"/> on, what becomes of each write, by its number from 1 on.</summary>
internal sealed class DecidingEngine(Func<int, Interception> decide) : InterceptingEngine
{
    private volatile bool _isOn;
    private int _writes;

    public override string Name => "deciding";

    public void Begin() => _isOn = true;

    protected override Interception OnSubmit(in IoSubmission submission) =>
        _isOn && submission.IsWrite ? decide(Interlocked.Increment(ref _writes)) : Interception.PassOn;
}
