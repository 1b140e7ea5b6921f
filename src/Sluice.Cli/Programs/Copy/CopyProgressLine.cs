using System.Diagnostics;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Copy;

/// <summary>What the live line says of a copy: how far, how fast, and how long it will take if it goes on so.</summary>
internal sealed class CopyProgressLine(string source) : IProgress<CopyProgress>
{
    private const int BarWidth = 20;
    private const double RateStepSeconds = 0.1;

    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly Lock _lock = new();
    private readonly List<(double Seconds, double MiBPerSecond)> _rates = [];
    private CopyProgress _last;
    private double _rateSeconds;
    private long _rateBytes;

    /// <summary>The rate in steps of about a tenth of a second, at the end of each step.</summary>
    public IReadOnlyList<(double Seconds, double MiBPerSecond)> Rates
    {
        get
        {
            lock (_lock)
                return [.. _rates];
        }
    }

    public void Report(CopyProgress value)
    {
        double seconds = Stopwatch.GetElapsedTime(_start).TotalSeconds;
        lock (_lock)
        {
            _last = value;
            if (seconds - _rateSeconds < RateStepSeconds)
                return;
            _rates.Add((seconds, (value.Bytes - _rateBytes) / (double)ByteSize.MiB / (seconds - _rateSeconds)));
            (_rateSeconds, _rateBytes) = (seconds, value.Bytes);
        }
    }

    public string Text() => Text(Stopwatch.GetElapsedTime(_start));

    public string Text(TimeSpan elapsed)
    {
        CopyProgress last;
        lock (_lock)
            last = _last;
        double share = last.TotalBytes == 0 ? 0 : Math.Min(1, last.Bytes / (double)last.TotalBytes);
        int filled = (int)(share * BarWidth);
        double rate = elapsed.TotalSeconds > 0 ? last.Bytes / elapsed.TotalSeconds : 0;
        string left = rate > 0 ? $", {(last.TotalBytes - last.Bytes) / rate:0} s left" : "";
        string files = last.TotalFiles > 1 ? $", {last.Files:#,0} of {last.TotalFiles:#,0} files" : "";
        return $"{source} [{new string('#', filled)}{new string('.', BarWidth - filled)}] {share * 100:0} % of "
            + $"{ByteSize.Format(last.TotalBytes)}, {rate / ByteSize.MiB:#,0} MiB/s{left}{files}";
    }
}
