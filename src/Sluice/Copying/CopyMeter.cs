using System.Diagnostics;

namespace Sluice.Copying;

/// <summary>Adds up what a copy does, and tells the caller a few times a second. Thread-safe.</summary>
internal sealed class CopyMeter(IProgress<CopyProgress>? progress)
{
    private const int PerSecond = 10;

    private long _bytes;
    private long _totalBytes;
    private int _files;
    private int _totalFiles;
    private long _told;

    public long Bytes => Volatile.Read(ref _bytes);

    public int Files => Volatile.Read(ref _files);

    public void Find(long bytes)
    {
        Interlocked.Add(ref _totalBytes, bytes);
        Interlocked.Increment(ref _totalFiles);
    }

    public void Add(long bytes)
    {
        if (bytes > 0)
        {
            Interlocked.Add(ref _bytes, bytes);
            TellSometimes();
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

    public void Tell() => progress?.Report(new CopyProgress(Bytes, Volatile.Read(ref _totalBytes), Files, Volatile.Read(ref _totalFiles)));

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
