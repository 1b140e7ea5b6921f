namespace Sluice.Log.Folders;

/// <summary>Keeps the last durable sequence number in log.state. The number there may be too small.</summary>
/// <param name="write">Writes the last durable sequence number.</param>
/// <param name="flush">Makes durable what was written.</param>
/// <param name="durable">What it says.</param>
internal sealed class DurableMark(Action<long> write, Action flush, long durable)
{
    private long _said = durable;

    /// <summary>The last sequence number that it says to be durable.</summary>
    public long Said => Volatile.Read(ref _said);

    /// <summary>Whether it says less than it could.</summary>
    public bool IsBehind(long durable) => Said < durable;

    public void Write(long durable)
    {
        write(durable);
        Volatile.Write(ref _said, durable);
    }

    /// <summary>Writes a smaller number durably, before records are removed.</summary>
    public void Lower(long durable)
    {
        Volatile.Write(ref _said, durable);
        write(durable);
        flush();
    }

    public void Flush() => flush();
}
