namespace Sluice.Engines;

/// <summary>Fields that few open files need. A separate object, so that an <see cref="OpenFile"/> is small.</summary>
internal sealed class OpenFileExtras
{
    private long _edgeTransfers;

    /// <summary>Guards changes of the properties and of O_DIRECT and, on systems other than 64-bit Linux, appends.</summary>
    public Lock Lock { get; } = new();

    /// <summary>The engine that was specified for the file; null for the default engine.</summary>
    public IoEngine? Engine { get; init; }

    public string? CachingReason { get; set; }

    /// <summary>The alignment of a handle that was opened direct. Never changed afterwards, because reads of several words are not atomic.</summary>
    public FileAlignment Alignment { get; set; }

    public DirectWriteGate? DirectGate { get; set; }

    public long EdgeTransfers => Volatile.Read(ref _edgeTransfers);

    public void CountEdge() => Interlocked.Increment(ref _edgeTransfers);

    public bool DropsBehind { get; set; }

    public bool IsCharacterDevice { get; set; }

    /// <summary>The append target, which is disposed with the file.</summary>
    public IDisposable? Appender { get; set; }
}
