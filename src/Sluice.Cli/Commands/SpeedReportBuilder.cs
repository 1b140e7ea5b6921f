using Sluice.Cli.Load;
using Sluice.Cli.Programs.Doctor;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>Converts the counts and times of a measurement to the values of a report.</summary>
internal static class SpeedReportBuilder
{
    private const double MinCachedShare = 0.1;

    // The minimum share of the requested rate at which the measurement has kept up.
    private const double KeepsUp = 0.99;

    public static SpeedReport Build(
        SpeedOptions options, IReadOnlyList<string> arguments, DateTimeOffset started, long fileSizeBytes, TimeSpan warmUp,
        IReadOnlyList<CreationTiming> creations, IReadOnlyDictionary<IoSide, Measurement> measurements,
        IReadOnlyDictionary<IoSide, (string Engine, FileCaching Caching, string? CachingReason)> opened, IReadOnlyList<string> notes,
        bool interrupted)
    {
        double? hertz = ProcessorFrequency.NominalHz();
        SideReport[] sides =
        [
            .. measurements.Where(m => m.Value.Operations > 0).Select(m => Side(m.Key, m.Value, opened[m.Key], options, hertz)),
        ];
        EnvironmentRecord environment = EnvironmentProbe.ForPath(options.Path);
        var report = new SpeedReport
        {
            Started = started,
            Arguments = arguments,
            Environment = environment,
            Workload = WorkloadOf(options, fileSizeBytes, warmUp),
            Creations = [.. creations.GroupBy(c => c.Side).Select(g => Creation([.. g], options, hertz))],
            Sides = sides,
            Interrupted = interrupted,
            Notes =
            [
                .. notes, .. CacheNotes(options, environment.FileSystem), .. PreallocationNotes(creations),
                .. sides.SelectMany(s => RateNotes(s, options)),
                .. sides.Select(s => BehindNote(s, measurements.Single(m => SideName(m.Key) == s.Side).Value, options))
                    .OfType<string>(),
                .. measurements.Select(m => NeverBegunNote(SideName(m.Key), m.Value)).OfType<string>(),
                .. measurements.Select(m => CachedNote(SideName(m.Key), m.Value, options)).OfType<string>(),
                .. EngineNotes(sides),
            ],
        };
        return sides.Length < 2 ? report : report with
        {
            Ratio = Statistics.MedianRatio(measurements[IoSide.Sluice].SliceMiBPerSecond, measurements[IoSide.Bcl].SliceMiBPerSecond),
            CpuRatio = Per(sides[1].CpuUsPerOperation, sides[0].CpuUsPerOperation),
        };
    }

    private static SpeedWorkload WorkloadOf(SpeedOptions options, long fileSizeBytes, TimeSpan warmUp) => new()
    {
        File = options.Path,
        Zipf = options.Zipf,
        FlushEvery = options.FlushEvery,
        FileSizeBytes = fileSizeBytes,
        Operation = options.OperationName,
        RequestSizeBytes = options.RequestSizeBytes,
        Outstanding = options.Outstanding,
        SeekPercent = options.SeekPercent,
        Cache = CacheName(options.Cache),
        TouchEveryByte = options.TouchEveryByte,
        OfferedIops = options.OperationsPerSecond,
        TimeSeconds = options.Time.TotalSeconds,
        WarmUpSeconds = warmUp.TotalSeconds,
        Seed = options.Seed,
    };

    public static string CacheName(CacheMode cache) => cache switch
    {
        CacheMode.Hot => "hot",
        CacheMode.Cold => "cold",
        CacheMode.Direct => "direct",
        _ => "as is",
    };

    private static SideReport Side(
        IoSide side, Measurement measured, (string Engine, FileCaching Caching, string? CachingReason) opened, SpeedOptions options,
        double? hertz)
    {
        double seconds = measured.Elapsed.TotalSeconds;
        double mebibytes = measured.Bytes / (double)ByteSize.MiB;
        return new SideReport
        {
            Side = SideName(side),
            Engine = opened.Engine,
            Caching = opened.Caching.ToString().ToLowerInvariant(),
            CachingReason = opened.CachingReason,
            Seconds = Round(seconds),
            Operations = measured.Operations,
            Bytes = measured.Bytes,
            MiBPerSecond = Round(Per(mebibytes, seconds)),
            Iops = Round(Per(measured.Operations, seconds)),
            FlushSeconds = options.WriteShare > 0 ? Round(measured.Flush.TotalSeconds) : null,
            MiBPerSecondWithFlush = options.WriteShare > 0 ? Round(Per(mebibytes, seconds + measured.Flush.TotalSeconds)) : null,
            CpuPercent = Round(100 * Per(measured.Cpu.TotalSeconds, seconds)),
            CpuUsPerOperation = Round(Per(measured.Cpu.TotalMicroseconds, measured.Operations)),
            CpuClocksPerByte = hertz is { } hz ? Round(Per(measured.Cpu.TotalSeconds * hz, measured.Bytes)) : null,
            AllocatedBytesPerOperation = Round(Per(measured.AllocatedBytes, measured.Operations)),
            InFlightMean = measured.QueueMilliseconds is { } milliseconds ? Round(Per(milliseconds, seconds * 1000)) : null,
            ReadLatency = LatencySummary.From(measured.Reads),
            WriteLatency = LatencySummary.From(measured.Writes),
            ServiceTime = LatencySummary.From(measured.Service),
            FlushLatency = LatencySummary.From(measured.Flushes),
            StorageReadBytes = measured.StorageReadBytes,
            SliceMiBPerSecond = [.. measured.SliceMiBPerSecond.Select(Round)],
            WindowMiBPerSecond = [.. measured.Windows.Select(w => Round(w.MiBPerSecond))],
            WindowStartSeconds = [.. measured.Windows.Select(w => Round(w.StartSeconds))],
        };
    }

    private static CreationReport Creation(CreationTiming[] timings, SpeedOptions options, double? hertz)
    {
        CreationTiming timing = timings.OrderBy(t => t.Write).ElementAt(timings.Length / 2);
        double mebibytes = timing.SizeBytes / (double)ByteSize.MiB;
        double whole = (timing.Write + timing.Flush).TotalSeconds;
        return new CreationReport(
            SideName(timing.Side), options.Create == CreateMode.Preallocate ? "preallocate" : "extend", timing.SizeBytes,
            Round(timing.Write.TotalSeconds),
            Round(timing.Flush.TotalSeconds), Round(Per(mebibytes, timing.Write.TotalSeconds)), Round(Per(mebibytes, whole)),
            Round(100 * Per(timing.Cpu.TotalSeconds, whole)), hertz is { } hz
                ? Round(Per(timing.Cpu.TotalSeconds * hz, timing.SizeBytes))
                : null);
    }

    private static IEnumerable<string> CacheNotes(SpeedOptions options, string? fileSystem)
    {
        if (MemoryFileSystem.Caveat(fileSystem) is not { } caveat)
            yield break;
        string[] asked =
        [
            .. options.Cache is CacheMode.Cold or CacheMode.Direct ? [CacheName(options.Cache)] : Array.Empty<string>(),
            .. options.Create == CreateMode.Preallocate ? ["preallocate"] : Array.Empty<string>(),
        ];
        if (asked.Length > 0)
            yield return $"{string.Join(" and ", asked)}: asked for, but {caveat}";
    }

    private static IEnumerable<string> PreallocationNotes(IEnumerable<CreationTiming> creations) =>
        creations.Select(c => c.PreallocationErrno).Where(e => e != 0).Distinct()
            .Select(e => $"preallocate: asked for, but fallocate is refused here: {ErrnoText.Of(e)}; nothing was reserved ahead");

    /// <summary>Returns a note if cached or cold reads were partly served from the page cache; otherwise, null.</summary>
    private static string? CachedNote(string side, Measurement measured, SpeedOptions options)
    {
        bool isAsked = options.Cache is CacheMode.AsIs or CacheMode.Cold;
        if (!isAsked || measured.ReadBytes == 0 || measured.StorageReadBytes is not { } stored)
            return null;
        double cached = 1 - Math.Min(1, stored / (double)measured.ReadBytes);
        return cached < MinCachedShare ? null
            : $"{side}: {cached * 100:0} % of what was read came from the page cache"
                + (options.Cache == CacheMode.AsIs ? "; --cache cold or -d reads from the disk" : "");
    }

    private static IEnumerable<string> EngineNotes(IEnumerable<SideReport> sides)
    {
        if (sides.Any(s => s.Side == SideName(IoSide.Sluice)) && SluiceEngines.UringReason is { } reason)
            yield return $"io_uring is not used: {reason}";
    }

    private static IEnumerable<string> RateNotes(SideReport side, SpeedOptions options)
    {
        if (options.OperationsPerSecond is not null)
            yield return $"{side.Side}: CPU includes the exact waiting for each request's time, which is spun";
    }

    /// <summary>
    /// Returns a note if the rate was not reached and more than one in a hundred requests had not begun at the end of the slice in which
    /// they were due; otherwise, null.
    /// </summary>
    private static string? BehindNote(SideReport side, Measurement measured, SpeedOptions options)
    {
        bool isLate = measured.BegunLate > (measured.Operations + measured.NeverBegun) * (1 - KeepsUp);
        return options.OperationsPerSecond is { } offered && side.Iops < offered * KeepsUp && isLate
            ? $"{side.Side} did not keep up: {offered:#,0.##} requests a second offered, {side.Iops:#,0.##} done; "
                + $"latency counts the waiting"
            : null;
    }

    private static string? NeverBegunNote(string side, Measurement measured) => measured.NeverBegun == 0 ? null
        : $"{side}: {measured.NeverBegun:#,0} requests were due and never begun; latency has them with their wait so far";

    public static string SideName(IoSide side) => side == IoSide.Sluice ? "sluice" : "bcl";

    private static double Per(double amount, double of) => of > 0 ? amount / of : 0;

    private static double Round(double value) => Math.Round(value, 4);
}
