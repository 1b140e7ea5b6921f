using System.Diagnostics;

namespace Sluice.Copying;

/// <summary>
/// Counts the progress of a copy, reports it to the caller, and limits the rate of all threads of the copy together. Thread-safe.
/// </summary>
/// <param name="progress">The object that receives the progress.</param>
/// <param name="bytesPerSecond">The maximum rate in bytes per second, or null for no limit.</param>
internal sealed class CopyMeter(IProgress<CopyProgress>? progress, long? bytesPerSecond = null)
{
    /// <summary>The maximum number of progress reports per second.</summary>
    private const int PerSecond = 10;

    /// <summary>The maximum time of one sleep of a limited copy, in milliseconds, after which cancellation is checked.</summary>
    private const int WaitMs = 50;

    private long _dueTicks;
    private long _bytes;
    private long _totalBytes;
    private int _files;
    private int _unchangedFiles;
    private int _totalFiles;
    private long _lastReport;

    public long Bytes => Volatile.Read(ref _bytes);

    public int Files => Volatile.Read(ref _files);

    /// <summary>Gets the number of files that were skipped. <see cref="Files"/> does not include them.</summary>
    public int UnchangedFiles => Volatile.Read(ref _unchangedFiles);

    /// <summary>Gets or sets the failures of the copy of a tree; null for a single file.</summary>
    public CopyFailures? Failures { get; set; }

    /// <summary>Adds a file and its length to the totals, before it is copied or skipped.</summary>
    public void AddFile(long bytes)
    {
        Interlocked.Add(ref _totalBytes, bytes);
        Interlocked.Increment(ref _totalFiles);
    }

    /// <summary>Adds bytes of the copy, if there are any: bytes that were transferred, holes, and bytes of an earlier copy.</summary>
    public void Add(long bytes)
    {
        if (bytes > 0)
        {
            Interlocked.Add(ref _bytes, bytes);
            ReportIfDue();
        }
    }

    /// <summary>
    /// Adds bytes that were transferred. If the rate is limited, waits until they were due. Time in which nothing was transferred is not
    /// made up for.
    /// </summary>
    /// <param name="bytes">The number of bytes.</param>
    /// <param name="cancellationToken">The token that ends the wait. The method does not throw if it is canceled.</param>
    public void AddMoved(long bytes, CancellationToken cancellationToken)
    {
        Add(bytes);
        if (bytesPerSecond is not { } rate)
        {
            return;
        }

        // The time is limited, so that sums do not overflow: at a few bytes per second, a large file is due in centuries.
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

    /// <summary>Subtracts bytes that were counted but are copied again.</summary>
    public void Subtract(long bytes) => Interlocked.Add(ref _bytes, -bytes);

    /// <summary>Corrects the total by the difference between the expected and the actual length of a file.</summary>
    public void Correct(long bytes) => Interlocked.Add(ref _totalBytes, bytes);

    /// <summary>Counts a file whose copy is complete.</summary>
    public void EndFile()
    {
        Interlocked.Increment(ref _files);
        ReportIfDue();
    }

    /// <summary>Counts a file that was skipped, because it exists already.</summary>
    public void EndUnchanged()
    {
        Interlocked.Increment(ref _unchangedFiles);
        ReportIfDue();
    }

    /// <summary>Reports the progress now.</summary>
    public void Report()
    {
        // UnchangedFiles is read first: each skipped file was added to the total before it was counted here, so the difference is never too
        // small.
        int unchanged = UnchangedFiles;
        int toCopy = Volatile.Read(ref _totalFiles) - unchanged;
        progress?.Report(new CopyProgress(Bytes, Volatile.Read(ref _totalBytes), Files, toCopy) { UnchangedFiles = unchanged });
    }

    private void ReportIfDue()
    {
        if (progress is null)
        {
            return;
        }

        long last = Volatile.Read(ref _lastReport);
        long now = Stopwatch.GetTimestamp();
        if (now - last > Stopwatch.Frequency / PerSecond && Interlocked.CompareExchange(ref _lastReport, now, last) == last)
        {
            Report();
        }
    }
}
