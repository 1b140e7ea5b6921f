namespace Sluice.Log.Tests.Support;

/// <summary>What a reader has that follows a log, and discards what the log has removed.</summary>
internal sealed class Follower : IDisposable
{
    private readonly SluiceLogReader _reader;
    private int _damages;

    public Follower(string directory, LogDurability upTo) =>
        _reader = new SluiceLogReader(directory, new SluiceLogReaderOptions { UpTo = upTo, SkipDamage = true });

    public SortedDictionary<long, byte[]> Records { get; } = [];

    /// <summary>How often the log has removed records that were read.</summary>
    public int Removals => _damages;

    public IEnumerable<int> Numbers => Records.Values.Select(static r => Support.Records.Check(r).Number);

    public void Read()
    {
        while (TryReadOne())
        {
        }
    }

    public bool TryReadOne()
    {
        bool isThere = _reader.TryRead(out LogEntry entry);
        byte[] bytes = isThere ? entry.Bytes.ToArray() : [];
        long sequence = isThere ? entry.Sequence : 0;
        for (; _damages < _reader.Damage.Count; _damages++)
        {
            SluiceLogDamagedException damage = _reader.Damage[_damages];
            damage.Reason.ShouldContain("removed from the end of the log");
            Records.Keys.Where(k => k >= damage.Sequence).ToList().ForEach(k => Records.Remove(k));
        }

        if (isThere)
        {
            Records.TryAdd(sequence, bytes).ShouldBeTrue($"record {sequence} was returned twice");
        }

        return isThere;
    }

    public void Dispose() => _reader.Dispose();
}
