namespace Sluice.Log;

/// <summary>Where records stand in the ring.</summary>
internal readonly record struct Placed(LogPage Page, int Offset, long FirstSequence);

/// <summary>Somebody who waits until all records up to a sequence are written, or are on the disk.</summary>
/// <remarks>From <see cref="WaiterList.Push"/> until it is completed it belongs to the list; whoever completes it does not touch it
/// again.</remarks>
internal abstract class LogWaiter
{
    /// <summary>The next in a list.</summary>
    public LogWaiter? Next { get; set; }

    /// <summary>The last sequence that it waits for.</summary>
    public long Target { get; protected set; }

    /// <summary>How many records up to <see cref="Target"/> are its own: if it fails, these are withdrawn.</summary>
    public int OwnRecords { get; protected set; }

    /// <summary>Where these stand; meaningful until they are written.</summary>
    public Placed Place { get; protected set; }

    /// <summary>Ends the wait, well or with an error. Runs no code of a caller on this thread.</summary>
    public abstract void Complete(Exception? error);
}
