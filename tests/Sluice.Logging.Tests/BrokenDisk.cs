namespace Sluice.Logging.Tests;

/// <summary>A disk that is full for as long as it is told to be.</summary>
internal sealed class BrokenDisk : InterceptingEngine
{
    private const int NoSpace = 28;
    private const int InputOutput = 5;
    private int _failingFlushes;

    public bool IsFull { get; set; }

    public override string Name => "broken";

    /// <summary>Lets the next flushes fail.</summary>
    public void FailFlushes(int count) => Volatile.Write(ref _failingFlushes, count);

    protected override Interception OnSubmit(in IoSubmission submission) =>
        submission.IsWrite ? IsFull ? Interception.Fail(NoSpace) : Interception.PassOn
        : !submission.IsRead && Interlocked.Decrement(ref _failingFlushes) >= 0 ? Interception.Fail(InputOutput)
        : Interception.PassOn;
}
