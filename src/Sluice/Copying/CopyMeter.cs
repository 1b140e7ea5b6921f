using System.Diagnostics;

namespace Sluice.Copying;

/// <summary>
/// Adds up what a copy does, tells the caller a few times a second, and holds the threads that move bytes to so many a second, all
/// together. Thread-safe.
/// </summary>
/// <param name="progress">The caller.</param>
/// <param name="bytesPerSecond">The most bytes to move in a second; null: as many as can be.</param>
internal sealed class CopyMeter(IProgress<CopyProgress>? progress, long? bytesPerSecond = null)
{
    /// <summary>Reports of a copy's progress in a second.</summary>
    private const int PerSecond = 10;

    /// <summary>Milliseconds of a wait of a copy that is held to a rate: a cancellation is seen so soon.</summary>
    private const int WaitMs = 50;

    private long _dueTicks;
    private long _bytes;
    private long _totalBytes;
    private int _files;
    private int _unchangedFiles;
    private int _totalFiles;
    private long _told;

    public long Bytes => Volatile.Read(ref _bytes);

    public int Files => Volatile.Read(ref _files);

    /// <summary>Files that stayed as they were; not among <see cref="Files"/>.</summary>
    public int UnchangedFiles => Volatile.Read(ref _unchangedFiles);

    /// <summary>What has failed inside a tree; null: it is none.</summary>
    public CopyFailures? Failures { get; set; }

    public void Find(long bytes)
    {
        Interlocked.Add(ref _totalBytes, bytes);
        Interlocked.Increment(ref _totalFiles);
    }

    /// <summary>Bytes that are there without having been moved: holes, and what an earlier copy left.</summary>
    public void Add(long bytes)
    {
        if (bytes > 0)
        {
            Interlocked.Add(ref _bytes, bytes);
            TellSometimes();
        }
    }

    /// <summary>
    /// Bytes that were moved; with a limit this waits until they were due. Time in which nothing moved is not made up for.
    /// </summary>
    /// <param name="bytes">How many; nothing where it is less than none.</param>
    /// <param name="cancellationToken">Ends the wait; whoever waited sees by himself that the copy is over.</param>
    public void AddMoved(long bytes, CancellationToken cancellationToken)
    {
        Add(bytes);
        if (bytesPerSecond is not { } rate || bytes <= 0)
        {
            return;
        }

        // Their sum is no later than there are ticks: a large file at some bytes a second is due in centuries.
        long ticks = (long)Math.Min(bytes / (double)rate * Stopwatch.Frequency, long.MaxValue / 4);
        long before, due;
        do
        {
            before = Volatile.Read(ref _dueTicks);
            due = Math.Min(Math.Max(before, Stopwatch.GetTimestamp()), long.MaxValue / 2) + ticks;
        }
        while (Interlocked.CompareExchange(ref _dueTicks, due, before) != before);

        for (long left; !cancellationToken.IsCancellationRequested && (left = due - Stopwatch.GetTimestamp()) > 0;)
        {
            Thread.Sleep((int)Math.Min((left / (Stopwatch.Frequency / 1000)) + 1, WaitMs));
        }
    }

    /// <summary>Bytes that were copied, and are being copied anew.</summary>
    public void TakeBack(long bytes) => Interlocked.Add(ref _bytes, -bytes);

    /// <summary>A file has turned out to be longer or shorter than it was found to be.</summary>
    public void Correct(long bytes) => Interlocked.Add(ref _totalBytes, bytes);

    public void EndFile()
    {
        Interlocked.Increment(ref _files);
        TellSometimes();
    }

    /// <summary>What was found and stays as it is.</summary>
    public void EndUnchanged()
    {
        Interlocked.Increment(ref _unchangedFiles);
        TellSometimes();
    }

    public void Tell()
    {
        // First of all: each of them is found before it is counted here, so that there are never fewer in all than are done.
        int unchanged = UnchangedFiles;
        int toCopy = Volatile.Read(ref _totalFiles) - unchanged;
        progress?.Report(new CopyProgress(Bytes, Volatile.Read(ref _totalBytes), Files, toCopy) { UnchangedFiles = unchanged });
    }

    private void TellSometimes()
    {
        if (progress is null)
        {
            return;
        }

        long told = Volatile.Read(ref _told);
        long now = Stopwatch.GetTimestamp();
        if (now - told > Stopwatch.Frequency / PerSecond && Interlocked.CompareExchange(ref _told, now, told) == told)
        {
            Tell();
        }
    }
}
