namespace Sluice.Log.Tests.Support;

/// <summary>Lets writes or flushes fail for as long as it is told to.</summary>
internal sealed class FailingEngine : InterceptingEngine
{
    public const int EIO = 5;
    public const int ENOSPC = 28;

    /// <summary>The error of each write; 0 for none.</summary>
    public int WriteErrno { get; set; }

    /// <summary>How many flushes fail from now on.</summary>
    public int FailingFlushes { get; set; }

    public int Flushes { get; private set; }

    public override string Name => "failing";

    protected override Interception OnSubmit(in IoSubmission submission)
    {
        if (submission.IsWrite)
        {
            return WriteErrno != 0 ? Interception.Fail(WriteErrno) : Interception.PassOn;
        }

        if (!submission.IsRead)
        {
            Flushes++;
            if (FailingFlushes > 0)
            {
                FailingFlushes--;
                return Interception.Fail(EIO);
            }
        }

        return Interception.PassOn;
    }
}
