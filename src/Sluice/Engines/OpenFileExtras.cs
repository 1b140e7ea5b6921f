namespace Sluice.Engines;

/// <summary>What few open files need, kept out of those that do not: opening a file should cost no more memory than it must.</summary>
internal sealed class OpenFileExtras
{
    private long _edgeTransfers;

    /// <summary>Guards what is extras.</summary>
    public Lock Lock { get; } = new();

    /// <summary>Null: the process's own.</summary>
    public IoEngine? Engine { get; init; }

    public string? CachingReason { get; set; }

    /// <summary>Of a handle that was opened direct; set once, and in force while it still is: several words are not read at once.</summary>
    public FileAlignment Alignment { get; set; }

    public DirectWriteGate? DirectGate { get; set; }

    public long EdgeTransfers => Volatile.Read(ref _edgeTransfers);

    public void CountEdge() => Interlocked.Increment(ref _edgeTransfers);

    public bool DropsBehind { get; set; }

    public bool IsCharacterDevice { get; set; }

    /// <summary>What appends to the file have made for themselves; closed with it.</summary>
    public IDisposable? Appender { get; set; }
}
