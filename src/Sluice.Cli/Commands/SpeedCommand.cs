using System.Diagnostics;
using Sluice.Cli.Load;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>`sluice speed`: makes the file fit to be measured, runs the workload, reports.</summary>
internal sealed class SpeedCommand(
    SpeedOptions options, IReadOnlyList<string> arguments, TerminalStreams terminal, CancellationToken cancellationToken)
{
    private const int InterleavedRounds = 10;

    // The first file made in a process pays for compiling the code; the median of three does not show it.
    private const int InterleavedCreations = 3;
    private static readonly TimeSpan LongestWarmUp = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan ShortestSlice = TimeSpan.FromMilliseconds(100);

    private readonly List<string> _notes = [];
    private readonly List<CreationTiming> _creations = [];
    private readonly Dictionary<IoSide, Measurement> _measurements = [];
    private readonly Dictionary<IoSide, (string Engine, FileCaching Caching, string? CachingReason)> _opened = [];

    private TimeSpan WarmUp => options.WarmUp ?? TimeSpan.FromTicks(Math.Min(options.Time.Ticks / 10, LongestWarmUp.Ticks));

    public async Task<int> RunAsync()
    {
        SpeedFile file = SpeedFile.Inspect(options);
        options.Output.Check(terminal);
        file.RequireConsent(terminal);
        if (file.SizeNote is { } note)
            _notes.Add(note);
        DateTimeOffset started = DateTimeOffset.UtcNow;
        bool interrupted = false;
        using (var progress = new LiveProgress(terminal, options.Quiet))
        {
            try
            {
                MakeFile(file, progress);
                if (options.Time > TimeSpan.Zero)
                    await MeasureAsync(file, progress);
                interrupted = cancellationToken.IsCancellationRequested;
            }
            catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
            {
                interrupted = true;
            }
        }
        SpeedReport report = SpeedReportBuilder.Build(
            options, arguments, started, file.SizeBytes, WarmUp, _creations, _measurements, _opened, _notes, interrupted);
        if (options.Quiet)
            SpeedCsv.Write(terminal.Out, report);
        else
            SpeedText.Write(terminal, report);
        options.Output.Write(
            terminal, SpeedPage.Of(report),
            json: writer => JsonFile.Write(writer, report, SpeedJsonContext.Default.SpeedReport),
            csv: writer => SpeedCsv.WriteFile(writer, report));
        return interrupted ? ExitCode.Interrupted : ExitCode.Success;
    }

    private void MakeFile(SpeedFile file, LiveProgress progress)
    {
        if (options.Create != CreateMode.None)
        {
            int rounds = options.Sides.Count == 1 ? 1 : InterleavedCreations;
            for (int round = 0; round < rounds; round++)
            {
                foreach (IoSide side in options.Sides)
                    Recreate(side, file.SizeBytes, progress);
            }
        }
        else if (file.MustCreate)
        {
            Discarding(() => FillUntimed(file, FileMode.CreateNew, progress), () => File.Delete(options.Path));
            _notes.Add($"{options.Path} did not exist; created it with {ByteSize.Format(file.SizeBytes)} of random data");
        }
        else if (file.MustExtend)
        {
            Discarding(() => FillUntimed(file, FileMode.Open, progress), () => TruncateTo(file.PresentSizeBytes));
            _notes.Add($"{options.Path} extended from {ByteSize.Format(file.PresentSizeBytes)} to {ByteSize.Format(file.SizeBytes)}");
        }
    }

    private void Recreate(IoSide side, long sizeBytes, LiveProgress progress)
    {
        File.Delete(options.Path);
        var open = new TargetOptions(options.Path, FileMode.CreateNew, FileAccess.ReadWrite)
        {
            PreallocationSizeBytes = options.Create == CreateMode.Preallocate ? sizeBytes : 0,
            Caching = options.Cache == CacheMode.Direct ? FileCaching.Direct : FileCaching.Cached,
        };
        progress.Show(() => $"creating {options.Path}");
        Discarding(
            () => _creations.Add(FileMaker.CreateTimed(
                side, open, sizeBytes, options.RequestSizeBytes, reached => progress.Show(() => Making(reached, sizeBytes)),
                cancellationToken)),
            () => File.Delete(options.Path));
    }

    private void FillUntimed(SpeedFile file, FileMode mode, LiveProgress progress)
    {
        using IoTarget target = IoTarget.Open(IoSide.Bcl, new TargetOptions(options.Path, mode, FileAccess.ReadWrite));
        FileMaker.Fill(target, file.PresentSizeBytes, file.SizeBytes, FileMaker.DefaultRequestSizeBytes,
            reached => progress.Show(() => Making(reached, file.SizeBytes)), cancellationToken);
        // Or the first seconds of the measurement would share the disk with write-back.
        target.Flush();
    }

    private string Making(long reached, long sizeBytes) =>
        $"creating {options.Path}: {ByteSize.Format(reached)} of {ByteSize.Format(sizeBytes)}";

    // Nothing half-made stays behind: not after an error (a full disk), not after Ctrl-C.
    private static void Discarding(Action make, Action discard)
    {
        try
        {
            make();
        }
        catch
        {
            discard();
            throw;
        }
    }

    private void TruncateTo(long sizeBytes)
    {
        using Microsoft.Win32.SafeHandles.SafeFileHandle handle = File.OpenHandle(options.Path, FileMode.Open, FileAccess.Write);
        RandomAccess.SetLength(handle, sizeBytes);
    }

    private async Task MeasureAsync(SpeedFile file, LiveProgress progress)
    {
        var workload = new Workload(options.Path, file.SizeBytes, options.RequestSizeBytes)
        {
            WriteShare = options.WriteShare,
            Outstanding = options.Outstanding,
            SeekPercent = options.SeekPercent,
            Cache = options.Cache,
            TouchEveryByte = options.TouchEveryByte,
            OperationsPerSecond = options.OperationsPerSecond,
            Seed = options.Seed,
        };
        var targets = new List<(IoSide Side, IoTarget Target)>();
        using var runner = new WorkloadRunner(workload);
        try
        {
            foreach (IoSide side in options.Sides)
            {
                IoTarget target = IoTarget.Open(side, workload.OpenOptions);
                targets.Add((side, target));
                _opened[side] = (target.Engine, target.Caching, target.CachingReason);
                CheckAlignment(target);
                if (options.Cache == CacheMode.Direct && target.Caching != FileCaching.Direct)
                    _notes.Add($"direct I/O was refused, the figures are of the page cache: {target.CachingReason}");
            }
            if (options.Cache == CacheMode.Hot)
            {
                progress.Show(() => $"reading {options.Path} into the page cache");
                runner.WarmCache(targets[0].Target, cancellationToken);
            }
            await RunSlicesAsync(runner, targets, progress);
        }
        finally
        {
            foreach ((IoSide _, IoTarget target) in targets)
                target.Dispose();
        }
    }

    private async Task RunSlicesAsync(WorkloadRunner runner, List<(IoSide Side, IoTarget Target)> targets, LiveProgress progress)
    {
        if (WarmUp > TimeSpan.Zero)
        {
            progress.Show(() => "warming up");
            foreach ((IoSide _, IoTarget target) in targets)
                await runner.RunSliceAsync(target, new Measurement(), WarmUp, cancellationToken);
        }
        cancellationToken.ThrowIfCancellationRequested();
        int rounds = targets.Count == 1 ? 1 : (int)Math.Clamp(options.Time / ShortestSlice, 1, InterleavedRounds);
        long start = Stopwatch.GetTimestamp();
        foreach ((IoSide side, IoTarget _) in targets)
            _measurements[side] = new Measurement();
        progress.Show(() => ProgressLine(Stopwatch.GetElapsedTime(start)));
        for (int round = 0; round < rounds; round++)
        {
            foreach ((IoSide side, IoTarget target) in targets)
            {
                await runner.RunSliceAsync(target, _measurements[side], options.Time / rounds, cancellationToken);
                cancellationToken.ThrowIfCancellationRequested();
            }
        }
    }

    private string ProgressLine(TimeSpan elapsed)
    {
        TimeSpan total = options.Time * options.Sides.Count;
        IEnumerable<string> sides = _measurements.Select(m =>
            $"{m.Key.ToString().ToLowerInvariant()} {ByteSize.Format(m.Value.Bytes)}, {m.Value.Operations:#,0} requests");
        return $"{options.OperationName} {options.Path}: {elapsed.TotalSeconds:0} of {total.TotalSeconds:0} s, {string.Join("; ", sides)}";
    }

    private void CheckAlignment(IoTarget target)
    {
        if (options.RequestSizeBytes % target.RequestAlignmentBytes != 0)
        {
            throw new UsageException(
                $"direct I/O by .NET's own calls needs requests that are multiples of {target.RequestAlignmentBytes} bytes; "
                + "--engine sluice has no such limit");
        }
    }
}
