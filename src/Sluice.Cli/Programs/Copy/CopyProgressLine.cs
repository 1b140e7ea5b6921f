using System.Diagnostics;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Copy;

/// <summary>
/// The progress line of a copy: bytes, rate and remaining time; for a tree, the work done so far, because its size is not known before its
/// end.
/// </summary>
internal sealed class CopyProgressLine(string source, bool isTree = false) : IProgress<CopyProgress>
{
    private const int BarWidth = 20;

    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly Lock _lock = new();
    private CopyProgress _last;

    public void Report(CopyProgress value)
    {
        lock (_lock)
            _last = value;
    }

    /// <summary>The last reported progress.</summary>
    public CopyProgress Last
    {
        get
        {
            lock (_lock)
                return _last;
        }
    }

    public string Text() => Text(Stopwatch.GetElapsedTime(_start));

    public string Text(TimeSpan elapsed)
    {
        CopyProgress last = Last;
        double rate = elapsed.TotalSeconds > 0 ? last.Bytes / elapsed.TotalSeconds : 0;
        if (isTree)
        {
            return $"{source}: {Counted.Of(last.Files, "file")}, {ByteSize.Format(last.Bytes)}, {rate / ByteSize.MiB:#,0} MiB/s, "
                + $"{elapsed.TotalSeconds:0} s";
        }
        double share = last.TotalBytes == 0 ? 0 : Math.Min(1, last.Bytes / (double)last.TotalBytes);
        int filled = (int)(share * BarWidth);
        // All bytes are copied: the copy is being verified, flushed or renamed.
        string left = rate == 0 ? ""
            : last.Bytes >= last.TotalBytes ? ", finishing" : $", {(last.TotalBytes - last.Bytes) / rate:0} s left";
        return $"{source} [{new string('#', filled)}{new string('.', BarWidth - filled)}] {share * 100:0} % of "
            + $"{ByteSize.Format(last.TotalBytes)}, {rate / ByteSize.MiB:#,0} MiB/s{left}";
    }
}
