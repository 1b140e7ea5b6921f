namespace Sluice.Log.Folders;

/// <summary>Keeps the last durable sequence number in log.state. The number there may be too small.</summary>
/// <param name="write">Writes the last durable sequence number.</param>
/// <param name="flush">Makes durable what was written.</param>
/// <param name="durable">The number in the file.</param>
internal sealed class StateFile(Action<long> write, Action flush, long durable)
{
    private long _sequence = durable;

    /// <summary>The number in the file.</summary>
    public long Sequence => Volatile.Read(ref _sequence);

    /// <summary>Returns true if the number in the file is smaller than the specified one.</summary>
    public bool IsStale(long durable) => Sequence < durable;

    public void Write(long durable)
    {
        write(durable);
        Volatile.Write(ref _sequence, durable);
    }

    /// <summary>Writes a smaller number durably, before records are removed.</summary>
    public void Lower(long durable)
    {
        Volatile.Write(ref _sequence, durable);
        write(durable);
        flush();
    }

    public void Flush() => flush();
}
