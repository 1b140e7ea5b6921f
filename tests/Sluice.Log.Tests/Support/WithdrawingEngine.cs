using Sluice.Log.Folders;
using Sluice.Log.Segments;

namespace Sluice.Log.Tests.Support;

/// <summary>Lets the flush of a segment that takes records back fail, and lets somebody look before.</summary>
internal sealed class WithdrawingEngine(string directory) : InterceptingEngine
{
    public Action? BeforeFailing { get; set; }

    /// <summary>Done before every flush.</summary>
    public Action? BeforeAny { get; set; }

    /// <summary>How many other flushes fail as well.</summary>
    public int FailingFlushes { get; set; }

    public override string Name => "withdrawing";

    protected override Interception OnSubmit(in IoSubmission submission)
    {
        if (submission.IsRead || submission.IsWrite)
        {
            return Interception.PassOn;
        }

        BeforeAny?.Invoke();
        if (FailingFlushes > 0)
        {
            FailingFlushes--;
            return Interception.Fail(FailingEngine.EIO);
        }

        if (BeforeFailing is { } look
            && new LogFolder(directory, SegmentNames.Framed) is var folder
            && SegmentInfo.Read(folder.PathOf(folder.List()[^1]), folder.List()[^1]) is { Restarts: true })
        {
            look();
            return Interception.Fail(FailingEngine.EIO);
        }

        return Interception.PassOn;
    }
}
