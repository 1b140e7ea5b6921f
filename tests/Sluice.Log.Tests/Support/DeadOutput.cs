using Sluice.Log.Stages;

namespace Sluice.Log.Tests.Support;

/// <summary>Of a log whose device has died: every sync fails, and every write where that is asked for.</summary>
internal sealed class DeadOutput(bool failsWrites, int recordHeaderBytes = 0) : LogOutput
{
    public bool FailsWrites { get; set; } = failsWrites;

    public override int PageStart => 32;

    public override int RecordHeaderBytes => recordHeaderBytes;

    public override bool NeedsHousekeeping => false;

    /// <summary>What a mark cannot be taken for; null where it can.</summary>
    public Exception? MarkError { get; init; }

    /// <summary>What is full, and sealed.</summary>
    public IDisposable? Sealed { get; init; }

    public override bool HasFull => Sealed is not null;

    public override bool IsBehind => false;

    public override long DurableSequence => 5;

    public override void Write(LogPage page)
    {
        if (FailsWrites)
        {
            throw new IOException("dead");
        }
    }

    public override void TakeMark()
    {
        if (MarkError is { } error)
        {
            throw error;
        }
    }

    public override void Sync() => throw new IOException("dead");

    public override void Recover() => throw new IOException("dead");

    public override IReadOnlyList<IDisposable> LetGoOfSealed() => Sealed is null ? [] : [Sealed];

    public override void Housekeep()
    {
    }

    public override void Finish()
    {
    }

    public override void Dispose()
    {
    }
}
