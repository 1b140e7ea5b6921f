using System.Diagnostics;
using Sluice.Cli.Load;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>`sluice speed`: prepares the file, runs the workload and reports the results.</summary>
internal sealed class SpeedCommand(SpeedOptions options, CommandContext context)
{
    private readonly TerminalStreams _terminal = context.Terminal;
    private readonly CancellationToken _cancellationToken = context.CancellationToken;

    private const int InterleavedRounds = 10;

    // The first creation in a process includes JIT compilation, which the median of three creations leaves out.
    private const int InterleavedCreations = 3;
    private static readonly TimeSpan LongestWarmUp = TimeSpan.FromSeconds(2);

    private static readonly TimeSpan ShortestSlice = TimeSpan.FromMilliseconds(100);

    private readonly List<string> _notes = [];
    private readonly List<CreationTiming> _creations = [];
    private readonly List<MeasuredSide> _sides = [];

    private VerifyReport? _verified;

    private TimeSpan WarmUp => options.WarmUp ?? TimeSpan.FromTicks(Math.Min(options.Time.Ticks / 10, LongestWarmUp.Ticks));

    public async Task<int> RunAsync()
    {
        SpeedFile file = SpeedFile.Inspect(options);
        context.Output.Check(_terminal, options.Path);
        file.RequireConsent(_terminal);
        if (file.SizeNote is { } note)
            _notes.Add(note);
        DateTimeOffset started = DateTimeOffset.UtcNow;
        bool interrupted = false;
        using (var progress = new LiveProgress(_terminal, options.Quiet))
        {
            try
            {
                MakeFile(file, progress);
                if (options.Time > TimeSpan.Zero)
                    await MeasureAsync(file.SizeBytes, progress);
                interrupted = _cancellationToken.IsCancellationRequested;
            }
            catch (OperationCanceledException) when (_cancellationToken.IsCancellationRequested)
            {
                interrupted = true;
            }
        }
        SpeedReport report = SpeedReportBuilder.Build(
            options, context.Arguments, started, file.SizeBytes, WarmUp, _creations, _sides, _verified, _notes, interrupted);
        ReportPage page = SpeedPage.Of(report);
        if (options.Quiet)
            _terminal.WriteData(writer => SpeedCsv.Write(writer, report, hasNames: false), isResult: false);
        else
            PageText.Write(_terminal, page);
        context.Output.Write(
            _terminal, page,
            json: writer => JsonFile.Write(writer, report, SpeedJsonContext.Default.SpeedReport),
            csv: writer => SpeedCsv.Write(writer, report, hasNames: true));
        if (_verified is { Wrong: > 0 } wrong)
        {
            _terminal.WriteNotice(
                $"sluice: {wrong.Wrong:#,0} of {Counted.Of(wrong.Requests, "request")} had other bytes when they were read again, "
                + $"the first at offset {wrong.FirstWrongOffset}");
            return ExitCode.IoError;
        }
        return interrupted ? ExitCode.Interrupted : ExitCode.Success;
    }

    private void MakeFile(SpeedFile file, LiveProgress progress)
    {
        if (options.Create != CreateMode.None)
        {
            int rounds = options.Sides.Count == 1 ? 1 : InterleavedCreations;
            // A file that was created after the question belongs to another process and must not be deleted.
            bool mayDelete = file.Exists || options.Force;
            for (int round = 0; round < rounds; round++)
            {
                foreach (IoSide side in options.Sides)
                {
                    Recreate(file.Path, side, file.SizeBytes, mayDelete, progress);
                    mayDelete = true;
                }
            }
        }
        else if (file.MustCreate)
        {
            // The flush keeps writeback out of the first seconds of the measurement.
            FileMaker.Create(
                IoSide.Sluice, new TargetOptions(file.Path, FileMode.CreateNew, FileAccess.ReadWrite), file.SizeBytes,
                FileMaker.DefaultRequestSizeBytes, ShowsIn(progress, file), _cancellationToken);
            _notes.Add($"{file.Path} did not exist; created it with {ByteSize.Format(file.SizeBytes)} of random data");
        }
        else if (file.MustExtend)
        {
            using (var target = new IoTarget(IoSide.Sluice, new TargetOptions(file.Path, FileMode.Open, FileAccess.ReadWrite)))
                FileMaker.Extend(target, file.Path, file.PresentSizeBytes, file.SizeBytes, ShowsIn(progress, file), _cancellationToken);
            _notes.Add($"{file.Path} extended from {ByteSize.Format(file.PresentSizeBytes)} to {ByteSize.Format(file.SizeBytes)}");
        }
    }

    private void Recreate(string path, IoSide side, long sizeBytes, bool mayDelete, LiveProgress progress)
    {
        // If the path is a symbolic link, its target is created anew and the link stays.
        path = PathArgument.Follow(path);
        if (mayDelete)
            File.Delete(path);
        var open = new TargetOptions(path, FileMode.CreateNew, FileAccess.ReadWrite)
        {
            PreallocationSizeBytes = options.Create == CreateMode.Preallocate ? sizeBytes : 0,
            Caching = options.Cache == CacheMode.Direct ? FileCaching.Direct : FileCaching.Cached,
        };
        progress.Show(() => $"creating {path}");
        _creations.Add(FileMaker.Create(
            side, open, sizeBytes, options.RequestSizeBytes, reached => progress.Show(() => Making(path, reached, sizeBytes)),
            _cancellationToken));
    }

    private static Action<long> ShowsIn(LiveProgress progress, SpeedFile file) =>
        reached => progress.Show(() => Making(file.Path, reached, file.SizeBytes));

    private static string Making(string path, long reached, long sizeBytes) =>
        $"creating {path}: {ByteSize.Format(reached)} of {ByteSize.Format(sizeBytes)}";

    private async Task MeasureAsync(long sizeBytes, LiveProgress progress)
    {
        Workload workload = options with { FileSizeBytes = sizeBytes };
        var targets = new List<(MeasuredSide Side, IoTarget Target)>();
        using var runner = new WorkloadRunner(workload);
        try
        {
            foreach (IoSide side in options.Sides)
            {
                var target = new IoTarget(side, workload.OpenOptions);
                var measured = new MeasuredSide(
                    SpeedReportBuilder.SideName(side), target.Engine, target.Caching, target.CachingReason);
                targets.Add((measured, target));
                _sides.Add(measured);
                SpeedOptions.RequireAligned(options.RequestSizeBytes, target.RequestAlignmentBytes);
                if (options.Cache == CacheMode.Direct && target.Caching != FileCaching.Direct)
                    _notes.Add($"direct I/O was refused, the figures are of the page cache: {target.CachingReason}");
            }
            if (options.Cache == CacheMode.Hot)
            {
                progress.Show(() => $"reading {options.Path} into the page cache");
                runner.WarmCache(targets[0].Target, _cancellationToken);
            }
            await RunSlicesAsync(runner, targets, progress);
            if (options.Verify)
            {
                progress.Show(() => "reading again what was read or written");
                _verified = runner.Verify(_cancellationToken);
            }
        }
        finally
        {
            foreach ((_, IoTarget target) in targets)
                target.Dispose();
        }
    }

    private async Task RunSlicesAsync(WorkloadRunner runner, List<(MeasuredSide Side, IoTarget Target)> targets, LiveProgress progress)
    {
        if (WarmUp > TimeSpan.Zero)
        {
            progress.Show(() => "warming up");
            foreach ((_, IoTarget target) in targets)
                await runner.RunSliceAsync(target, new Measurement(), WarmUp, _cancellationToken);
        }
        _cancellationToken.ThrowIfCancellationRequested();
        // Each slice has at least one request of the offered rate.
        double slices = Math.Min(options.Time / ShortestSlice, options.Time.TotalSeconds * (options.OperationsPerSecond ?? double.MaxValue));
        int rounds = targets.Count == 1 ? 1 : (int)Math.Clamp(slices, 1, InterleavedRounds);
        long start = Stopwatch.GetTimestamp();
        for (int round = 0; round < rounds; round++)
        {
            foreach ((MeasuredSide side, IoTarget target) in targets)
            {
                progress.Show(() => Measuring(options, side, Stopwatch.GetElapsedTime(start)));
                await runner.RunSliceAsync(target, side.Measured, options.Time / rounds, _cancellationToken);
                _cancellationToken.ThrowIfCancellationRequested();
            }
        }
    }

    /// <summary>Returns the progress line: the current rate and IOPS, p99 so far, time, and the workload.</summary>
    internal static string Measuring(SpeedOptions options, MeasuredSide side, TimeSpan elapsed)
    {
        Measurement measured = side.Measured;
        double rate = measured.LatestMiBPerSecond;
        long p99 = Math.Max(measured.Reads.Percentile(99), measured.Writes.Percentile(99)) / 1000;
        TimeSpan total = options.Time * options.Sides.Count;
        string name = options.Sides.Count > 1 ? $"{SpeedPage.SideName(side.Name)} " : "";
        return $"{name}{rate:#,0} MiB/s, {rate * ByteSize.MiB / options.RequestSizeBytes:#,0} IOPS, "
            + $"p99 {p99:#,0} us, {Math.Min(elapsed.TotalSeconds, total.TotalSeconds):0} of {total.TotalSeconds:0} s, "
            + $"{options.OperationName} {Path.GetFileName(options.Path)}";
    }
}
