using Sluice.Log.Appending;

namespace Sluice.Log.Tests.Support;

/// <summary>The output of a log whose device has died: every sync fails, and every write if that is asked for.</summary>
internal sealed class DeadOutput(bool failsWrites, int recordHeaderBytes = 0) : LogOutput
{
    public bool FailsWrites { get; set; } = failsWrites;

    public int Syncs { get; private set; }

    public override int PageStart => 32;

    public override int RecordHeaderBytes => recordHeaderBytes;

    public override bool NeedsHousekeeping => false;

    public override bool HasFull => true;

    /// <summary>Whether full segments were closed with footers; null if they were not closed.</summary>
    public bool? Seals { get; private set; }

    public override bool HasTooManyFull => false;

    public override long DurableSequence => 5;

    public override void Write(LogPage page)
    {
        if (FailsWrites)
        {
            throw new IOException("dead");
        }
    }

    public override void BeginSync()
    {
    }

    public override void Sync()
    {
        Syncs++;
        throw new IOException("dead");
    }

    public override Exception? CloseFull(bool seals)
    {
        Seals = seals;
        return null;
    }

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
