namespace Sluice.Log.Appending;

/// <summary>A thread or task that waits until all records up to a sequence number are written, or are on the disk.</summary>
/// <remarks>The object belongs to the list from <see cref="WaiterList.Push"/> until the wait ends.</remarks>
internal abstract class LogWaiter
{
    /// <summary>The next one in a list.</summary>
    public LogWaiter? Next { get; set; }

    /// <summary>The last sequence number to wait for.</summary>
    public long Target { get; protected set; }

    /// <summary>
    /// The number of records up to <see cref="Target"/> that the waiter has appended. They are withdrawn if the wait fails.
    /// </summary>
    public int OwnRecords { get; protected set; }

    /// <summary>The space of these records.</summary>
    public PageReservation Reservation { get; protected set; }

    /// <summary>Ends the wait, with or without an error. Runs no code of a caller on this thread.</summary>
    /// <returns>False if a thread sleeps; the object then belongs to the list until <see cref="Wake"/>.</returns>
    public abstract bool TryEnd(Exception? error);

    /// <summary>Wakes the thread, after <see cref="TryEnd"/> returned false.</summary>
    public abstract void Wake();
}
