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
        IReadOnlyList<CreationTiming> creations, IReadOnlyList<MeasuredSide> measured, VerifyReport? verified,
        IReadOnlyList<string> notes, bool interrupted)
    {
        double? hertz = ProcessorFrequency.NominalHz();
        SideReport[] sides = [.. measured.Where(m => m.Measured.Operations > 0).Select(m => Side(m, options, hertz))];
        EnvironmentRecord environment = EnvironmentProbe.ForPath(options.Path);
        bool hasBoth = sides.Length == 2;
        return new SpeedReport(
            Started: started,
            Arguments: arguments,
            Environment: environment,
            Workload: WorkloadOf(options, fileSizeBytes, warmUp),
            Creations: [.. creations.GroupBy(c => c.Side).Select(g => Creation([.. g], options, hertz))],
            Sides: sides,
            Ratio: hasBoth
                ? Statistics.MedianRatio(measured[0].Measured.SliceMiBPerSecond, measured[1].Measured.SliceMiBPerSecond)
                : null,
            CpuRatio: hasBoth ? Per(sides[1].CpuUsPerOperation, sides[0].CpuUsPerOperation) : null,
            Interrupted: interrupted,
            Verified: verified,
            Notes:
            [
                .. notes, .. CacheNotes(options, environment.FileSystem), .. PreallocationNotes(creations),
                .. measured.SelectMany(m => SideNotes(SpeedPage.SideName(m.Name), m.Measured, options)), .. EngineNotes(sides),
            ]);
    }

    private static SpeedWorkload WorkloadOf(SpeedOptions options, long fileSizeBytes, TimeSpan warmUp) => new(
        File: options.Path,
        Zipf: options.Zipf,
        FlushEvery: options.FlushEvery,
        FileSizeBytes: fileSizeBytes,
        Operation: options.OperationName,
        RequestSizeBytes: options.RequestSizeBytes,
        Outstanding: options.Outstanding,
        SeekPercent: options.SeekPercent,
        Cache: options.CacheName,
        TouchEveryByte: options.TouchEveryByte,
        OfferedIops: options.OperationsPerSecond,
        TimeSeconds: options.Time.TotalSeconds,
        WarmUpSeconds: warmUp.TotalSeconds,
        Seed: options.Seed);

    private static SideReport Side(MeasuredSide side, SpeedOptions options, double? hertz)
    {
        Measurement measured = side.Measured;
        double seconds = measured.Elapsed.TotalSeconds;
        double mebibytes = measured.Bytes / (double)ByteSize.MiB;
        return new SideReport(
            Side: side.Name,
            Engine: side.Engine,
            Caching: side.Caching.ToString().ToLowerInvariant(),
            CachingReason: side.CachingReason,
            Seconds: Round(seconds),
            Operations: measured.Operations,
            Bytes: measured.Bytes,
            MiBPerSecond: Round(Per(mebibytes, seconds)),
            Iops: Round(Per(measured.Operations, seconds)),
            FlushSeconds: options.WriteShare > 0 ? Round(measured.Flush.TotalSeconds) : null,
            MiBPerSecondWithFlush: options.WriteShare > 0 ? Round(Per(mebibytes, seconds + measured.Flush.TotalSeconds)) : null,
            CpuPercent: Round(100 * Per(measured.Cpu.TotalSeconds, seconds)),
            CpuUsPerOperation: Round(Per(measured.Cpu.TotalMicroseconds, measured.Operations)),
            CpuClocksPerByte: Clocks(measured.Cpu, measured.Bytes, hertz),
            AllocatedBytesPerOperation: Round(Per(measured.AllocatedBytes, measured.Operations)),
            InFlightMean: measured.QueueMilliseconds is { } milliseconds ? Round(Per(milliseconds, seconds * 1000)) : null,
            ReadLatency: LatencySummary.From(measured.Reads),
            WriteLatency: LatencySummary.From(measured.Writes),
            ServiceTime: LatencySummary.From(measured.Service),
            FlushLatency: LatencySummary.From(measured.Flushes),
            StorageReadBytes: measured.StorageReadBytes,
            SliceMiBPerSecond: [.. measured.SliceMiBPerSecond.Select(Round)],
            WindowMiBPerSecond: [.. measured.Windows.Select(w => Round(w.MiBPerSecond))],
            WindowStartSeconds: [.. measured.Windows.Select(w => Round(w.StartSeconds))]);
    }

    private static CreationReport Creation(CreationTiming[] timings, SpeedOptions options, double? hertz)
    {
        CreationTiming timing = timings.OrderBy(t => t.Write).ElementAt(timings.Length / 2);
        double mebibytes = timing.SizeBytes / (double)ByteSize.MiB;
        double whole = (timing.Write + timing.Flush).TotalSeconds;
        return new CreationReport(
            SideName(timing.Side), options.Create == CreateMode.Preallocate ? "preallocate" : "extend", timing.SizeBytes,
            Round(timing.Write.TotalSeconds), Round(timing.Flush.TotalSeconds), Round(Per(mebibytes, timing.Write.TotalSeconds)),
            Round(Per(mebibytes, whole)), Round(100 * Per(timing.Cpu.TotalSeconds, whole)), Clocks(timing.Cpu, timing.SizeBytes, hertz));
    }

    private static double? Clocks(TimeSpan cpu, long bytes, double? hertz) =>
        hertz is { } hz ? Round(Per(cpu.TotalSeconds * hz, bytes)) : null;

    private static IEnumerable<string> CacheNotes(SpeedOptions options, string? fileSystem)
    {
        if (MemoryFileSystem.Caveat(fileSystem) is not { } caveat)
            yield break;
        string?[] asked =
        [
            options.Cache is CacheMode.Cold or CacheMode.Direct ? options.CacheName : null,
            options.Create == CreateMode.Preallocate ? "preallocate" : null,
        ];
        if (asked.OfType<string>().Any())
            yield return $"{string.Join(" and ", asked.OfType<string>())}: asked for, but {caveat}";
    }

    private static IEnumerable<string> PreallocationNotes(IEnumerable<CreationTiming> creations) =>
        creations.Select(c => c.PreallocationErrno).Where(e => e != 0).Distinct()
            .Select(e => $"preallocate: asked for, but fallocate is refused here: {ErrnoText.Of(e)}; nothing was reserved ahead");

    private static IEnumerable<string> SideNotes(string side, Measurement measured, SpeedOptions options)
    {
        if (options.OperationsPerSecond is { } offered && measured.Operations > 0)
        {
            yield return $"{side}: CPU includes the time in which it spins until a request is due";
            // The rate was not reached, and more than one in a hundred requests had not begun at the end of the slice in which they were
            // due.
            double done = Per(measured.Operations, measured.Elapsed.TotalSeconds);
            if (done < offered * KeepsUp && measured.BegunLate > (measured.Operations + measured.NeverBegun) * (1 - KeepsUp))
            {
                yield return $"{side} did not keep up: {offered:#,0.##} requests a second offered, {done:#,0.##} done; "
                    + "latency includes the wait";
            }
        }
        if (measured.NeverBegun > 0)
            yield return $"{side}: {measured.NeverBegun:#,0} requests were due and never started; latency includes their wait so far";
        // Cached or cold reads that were partly served from the page cache.
        if (options.Cache is CacheMode.AsIs or CacheMode.Cold && measured.ReadBytes > 0 && measured.StorageReadBytes is { } stored
            && 1 - (stored / (double)measured.ReadBytes) is var cached and >= MinCachedShare)
        {
            yield return $"{side}: {cached * 100:0} % of what was read came from the page cache"
                + (options.Cache == CacheMode.AsIs ? "; --cache cold or -d reads from the disk" : "");
        }
    }

    private static IEnumerable<string> EngineNotes(IEnumerable<SideReport> sides)
    {
        if (sides.Any(s => s.Side == SideName(IoSide.Sluice)) && SluiceEngines.UringReason is { } reason)
            yield return $"io_uring is not used: {reason}";
    }

    public static string SideName(IoSide side) => side == IoSide.Sluice ? "sluice" : "bcl";

    private static double Per(double amount, double of) => of > 0 ? amount / of : 0;

    private static double Round(double value) => Math.Round(value, 4);
}
