namespace Sluice.Log.Tests.Support;

/// <summary>Holds writes, or flushes, back after they are made, and lets them go one by one.</summary>
internal sealed class SteppingEngine(bool holdsFlushes) : InterceptingEngine
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    private readonly SemaphoreSlim _steps = new(0);
    private volatile bool _isOn;
    private int _held;

    public override string Name => "stepping";

    /// <summary>How many have come, let go or not.</summary>
    public int Held => Volatile.Read(ref _held);

    public void Begin() => _isOn = true;

    /// <summary>Lets one go.</summary>
    public void Step() => _steps.Release();

    /// <summary>Lets all go that are held or come.</summary>
    public void End()
    {
        _isOn = false;
        _steps.Release(1000);
    }

    /// <summary>Whether so many come, now or soon.</summary>
    public bool Awaits(int count) => SpinWait.SpinUntil(() => Held >= count, Patience);

    protected override Interception OnSubmit(in IoSubmission submission)
    {
        bool isHeld = _isOn && !submission.IsRead && submission.IsWrite != holdsFlushes;
        return isHeld ? Interception.HoldUntil(HoldAsync) : Interception.PassOn;
    }

    private Task HoldAsync()
    {
        Interlocked.Increment(ref _held);
        return _steps.WaitAsync();
    }
}
