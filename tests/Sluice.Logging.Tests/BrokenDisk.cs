namespace Sluice.Logging.Tests;

/// <summary>A disk that is full for as long as it is told to be.</summary>
internal sealed class BrokenDisk : InterceptingEngine
{
    private const int NoSpace = 28;

    public bool IsFull { get; set; }

    public override string Name => "broken";

    protected override Interception OnSubmit(in IoSubmission submission) =>
        IsFull && submission.IsWrite ? Interception.Fail(NoSpace) : Interception.PassOn;
}
