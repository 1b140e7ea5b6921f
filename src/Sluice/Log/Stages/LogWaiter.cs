namespace Sluice.Log.Stages;

/// <summary>Somebody who waits until all records up to a sequence are written, or are on the disk.</summary>
/// <remarks>From <see cref="WaiterList.Push"/> until it is completed it belongs to the list; whoever completes it does not touch it
/// again.</remarks>
internal abstract class LogWaiter
{
    /// <summary>The next in a list.</summary>
    public LogWaiter? Next { get; set; }

    /// <summary>The last sequence that it waits for.</summary>
    public long Target { get; protected set; }

    /// <summary>For <see cref="OwnRecords"/>: it waits for whatever comes of what is there, and nothing is lost to it where that is
    /// dropped.</summary>
    public const int Any = -1;

    /// <summary>How many records up to <see cref="Target"/> are its own: if it fails, these are withdrawn.</summary>
    public int OwnRecords { get; protected set; }

    /// <summary>The ring's when <see cref="Target"/> had a place; -1 for who looks once more where he was woken for nothing.</summary>
    public int Epoch { get; protected set; }

    /// <summary>Where these stand; meaningful until they are written.</summary>
    public Placed Place { get; protected set; }

    /// <summary>Ends the wait, well or with an error. Runs no code of a caller on this thread.</summary>
    /// <returns>False where a thread sleeps: it stays the list's until <see cref="Wake"/>.</returns>
    public abstract bool TryEnd(Exception? error);

    /// <summary>After <see cref="TryEnd"/> was false: wakes the thread.</summary>
    public abstract void Wake();
}
