namespace Sluice.Log.Tests.Support;

/// <summary>A folder in the temporary folder, with a log or without; deleted with all that is in it at the end.</summary>
internal sealed class TempFolder : IDisposable
{
    private const string InMemory = "/dev/shm";

    /// <param name="isInMemory">Whether it is to be in memory, where there is such a place: for what opens thousands of logs.</param>
    public TempFolder(bool isInMemory = false) =>
        Root = isInMemory && Directory.Exists(InMemory)
            ? Directory.CreateDirectory(Path.Combine(InMemory, "sluice-log-" + Guid.NewGuid().ToString("N"))).FullName
            : Directory.CreateTempSubdirectory("sluice-log-").FullName;

    public string Root { get; }

    /// <summary>Where a log is to be.</summary>
    public string Log => Path.Combine(Root, "log");

    /// <summary>All files of the log, in the order of their names.</summary>
    public string[] Files => FilesOf("*");

    /// <summary>The segments of the log, in their order.</summary>
    public string[] Segments => FilesOf("*.slog");

    /// <summary>The files of a raw log, in their order.</summary>
    public string[] RawFiles => FilesOf("*.log");

    public string PathOf(string name) => Path.Combine(Log, name);

    public SluiceLog Open(SluiceLogOptions? options = null) => SluiceLog.Open(Log, options);

    public SluiceLogReader OpenReader(LogDurability? upTo = null, bool skips = false, long from = 1) =>
        new(Log, new SluiceLogReaderOptions { UpTo = upTo, SkipDamage = skips, FromSequence = from });

    /// <summary>Opens the log, and returns the damage of which that is told.</summary>
    public SluiceLogDamagedException OpenDamaged(string? what = null) =>
        Should.Throw<SluiceLogDamagedException>(() => Open(SmallLog.Options).Dispose(), what);

    /// <summary>Reads the log, and returns the damage of which that is told.</summary>
    public SluiceLogDamagedException ReadDamaged(LogDurability? upTo = LogDurability.Written, string? what = null) =>
        Should.Throw<SluiceLogDamagedException>(() => ReadAll(new SluiceLogReaderOptions { UpTo = upTo }), what);

    /// <inheritdoc cref="Records.ReadAll"/>
    public List<(long Sequence, byte[] Bytes)> ReadAll(SluiceLogReaderOptions? options = null) => Records.ReadAll(Log, options);

    /// <inheritdoc cref="Records.ReadWritten"/>
    public List<(long Sequence, byte[] Bytes)> ReadWritten() => Records.ReadWritten(Log);

    /// <inheritdoc cref="Records.Sequences"/>
    public List<long> Sequences(SluiceLogReaderOptions? options = null) => Records.Sequences(Log, options);

    /// <inheritdoc cref="Records.Numbers"/>
    public List<int> Numbers(SluiceLogReaderOptions? options = null) => Records.Numbers(Log, options);

    /// <inheritdoc cref="Records.ShouldHave"/>
    public void ShouldHave(long count, string? what = null) => Records.ShouldHave(Log, count, what);

    /// <summary>The log has the records from any number on to the last one, without a gap. Returns the first one's sequence.</summary>
    public long ShouldEndWith(long last)
    {
        List<(long Sequence, byte[] Bytes)> records = ReadAll();
        records[^1].Sequence.ShouldBe(last);
        Records.ShouldBeInOrder(records, records[0].Sequence, (int)records[0].Sequence - 1);
        return records[0].Sequence;
    }

    /// <summary>Makes the log's folder, without files.</summary>
    public void Clear()
    {
        if (Directory.Exists(Log))
        {
            Directory.Delete(Log, recursive: true);
        }

        Directory.CreateDirectory(Log);
    }

    public void Dispose() => Directory.Delete(Root, recursive: true);

    private string[] FilesOf(string pattern) => [.. Directory.GetFiles(Log, pattern).Order(StringComparer.Ordinal)];
}
