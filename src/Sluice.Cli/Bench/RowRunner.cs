using System.Diagnostics;
using System.Globalization;
using Sluice.Cli.Load;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench;

/// <summary>Measures one row: its sides in turn, slice by slice, so that a drifting device meets them alike.</summary>
/// <param name="pageCost">Nanoseconds to touch a page now; null: it is measured.</param>
internal sealed class RowRunner(
    BenchContext context, FioRunner fio, CancellationToken cancellationToken, Func<double>? pageCost = null)
{
    /// <summary>Long enough for the JIT to have compiled the loops with full optimization (its timer is 100 ms).</summary>
    private const double WarmUpSlices = 1.5;

    private readonly SliceRunner _slices = new(cancellationToken);

    public async Task<RowReport> RunAsync(Suite suite, Row row)
    {
        try
        {
            PoolThreads.StartAnew();
            using Contest contest = row.Open(context);
            return await RunAsync(suite, row, contest);
        }
        finally
        {
            // Otherwise they would be written back during the rows after this one.
            context.DeleteScratchFiles();
        }
    }

    private async Task<RowReport> RunAsync(Suite suite, Row row, Contest contest)
    {
        TimeSpan sliceTime = suite.SliceTime(context.Scale);
        Turns[] sides = [.. contest.All.Select(c => new Turns(c))];
        foreach (Turns side in sides)
            await _slices.RunAsync(side.Contender, sliceTime * WarmUpSlices);
        // Null where fio did not run in a round that counts.
        var fioRates = new List<double?>();
        (string? fioError, string? fioCommand, int discarded) = (null, null, 0);
        int rounds = Math.Min(context.Scale.Rounds, row.MaxRounds ?? int.MaxValue);
        long began = Stopwatch.GetTimestamp();
        for (int round = 0; fioRates.Count < rounds && !cancellationToken.IsCancellationRequested && !IsOver(); round++)
        {
            foreach (Turns side in Rounds.ThereAndBack(sides, round))
                side.Last = await RunTurnAsync(row, side.Contender, sliceTime);
            bool counts = !row.FillsPageCache || PageCost.AreAlike([.. sides.Select(s => s.Last.PageNs)]);
            foreach (Turns side in sides)
                (counts ? side.Counted : side.Discarded).Add(side.Last);
            // If the machine never settles, the row has the rounds that were alike, and reports how many were not.
            if (!counts)
            {
                if (++discarded >= rounds)
                    break;
                continue;
            }
            double? fioRate = null;
            if (row.Fio is { } job && fio.IsAvailable && fioError is null && IsFioRound(fioRates.Count, rounds))
            {
                (fioRate, string? ran, fioError) = await MeasureFioAsync(job);
                fioCommand = ran ?? fioCommand;
            }
            fioRates.Add(fioRate);
        }
        cancellationToken.ThrowIfCancellationRequested();
        if (fioRates.Count == 0)
            throw NeverAlike(sides);
        foreach (Turns side in sides)
            side.Latency = await MeasureLatencyAsync(row, side.Contender, sliceTime);
        cancellationToken.ThrowIfCancellationRequested();
        return Report(suite.Name, row, sides, fioRates) with
        {
            FioError = fioError,
            FioCommand = fioCommand,
            DiscardedRounds = discarded,
        };

        bool IsOver() => suite.RowTime is { } limit && fioRates.Count > 0
            && Stopwatch.GetElapsedTime(began) > limit * (fioRates.Count >= Statistics.FewestPairs ? 1 : Suite.RowLimits);
    }

    private static RowSkippedException NeverAlike(Turns[] sides)
    {
        string costs = string.Join(", ", sides.Select(s => string.Create(
            CultureInfo.InvariantCulture, $"{Statistics.Median(s.Discarded.Select(d => d.PageNs)):#,0} ns before {s.Contender.Name}'s turns")));
        return new RowSkippedException(
            $"the sides never met the same memory in {Counted.Of(sides[0].Discarded.Count, "round")}: touching a page cost {costs}");
    }

    private async Task<Turn> RunTurnAsync(Row row, Contender contender, TimeSpan sliceTime)
    {
        if (!row.FillsPageCache)
            return new Turn(await _slices.RunAsync(contender, sliceTime), 0);
        // The pages that this pass is about to give back are those that the measured one takes.
        TimeSpan time = row.FillsForSlice ? sliceTime : TimeSpan.Zero;
        await _slices.RunAsync(contender, time);
        double cost = 0;
        // After what the contender prepares, which may write back and drop pages for seconds.
        SliceSample sample = await _slices.RunAsync(
            contender, time, beforeStart: () => cost = pageCost?.Invoke() ?? PageCost.MeasureNanoseconds());
        return new Turn(sample, cost);
    }

    /// <summary>In a turn of its own: to look at the clock for each operation costs more than some operations.</summary>
    private async Task<LatencySummary?> MeasureLatencyAsync(Row row, Contender contender, TimeSpan sliceTime)
    {
        if ((row.FillsPageCache && !row.FillsForSlice) || contender.IsPass || contender.RunsPrograms)
            return null;
        var histogram = new LatencyHistogram();
        await _slices.RunAsync(contender, sliceTime, histogram);
        return LatencySummary.From(histogram);
    }

    /// <returns>What fio ran and its rate; or why it gave none: the row is about Sluice and .NET and stands without it.</returns>
    private async Task<(double? Iops, string? CommandLine, string? Error)> MeasureFioAsync(FioJob job)
    {
        (string file, long sizeBytes) = job.IsRemote ? (context.RemoteFile, context.Scale.RemoteFileBytes)
            : job.IsDurable ? (context.ScratchFile("fio.dat"), context.Scale.AppendLimitBytes)
            : !job.IsPass ? (context.DirectFile, context.Scale.DirectFileBytes)
            : (job.IsWrite ? context.ScratchFile("fio.dat") : context.SequentialFile, context.Scale.SequentialFileBytes);
        try
        {
            (double iops, string commandLine) =
                await FioRunner.MeasureIopsAsync(job, file, sizeBytes, context.Scale.FioTime, cancellationToken);
            return (iops, commandLine, null);
        }
        catch (IOException e)
        {
            return (null, null, ErrorText.Of(e));
        }
    }

    /// <summary>Every round if there are to be as many samples as rounds; with one sample, the middle one.</summary>
    private bool IsFioRound(int round, int rounds) => context.Scale.FioSamples >= rounds || round == rounds / 2;

    private RowReport Report(string suite, Row row, Turns[] sides, List<double?> fioIops)
    {
        double scale = row.BytesPerOperation is { } bytes ? bytes(context.Scale) / (double)ByteSize.MiB : 1;
        ContenderReport[] reports = [.. sides.Select(s => s.Report(scale, row.FillsPageCache))];
        (ContenderReport sluice, ContenderReport dotNet) = (reports[0], reports[1]);
        ContenderReport? second = reports.Length > 2 ? reports[2] : null;
        // A pass of fio's is by 1 MiB, so that its operations are the row's MiB.
        double[] fioRates = [.. fioIops.Select(i => i ?? 0)];
        double? fioRate = fioRates.Any(r => r > 0) ? Statistics.Median(fioRates.Where(r => r > 0)) : null;
        double[] fioRatios = [.. Statistics.Ratios(sluice.SliceRates, fioRates)];
        double[] cpuRatios = [.. Statistics.Ratios(
            [.. sides[1].Counted.Select(t => t.Sample.CpuUsPerOperation)], [.. sides[0].Counted.Select(t => t.Sample.CpuUsPerOperation)])];
        double[] ratios = [.. Statistics.Ratios(sluice.SliceRates, dotNet.SliceRates)];
        double[] secondRatios = [.. Statistics.Ratios(sluice.SliceRates, second?.SliceRates ?? [])];
        return new RowReport
        {
            Suite = suite,
            Id = row.Id,
            Name = row.Name,
            Why = row.Why,
            Unit = row.Unit,
            Rounds = fioIops.Count,
            Sluice = sluice,
            DotNet = dotNet,
            Second = second,
            SecondRatio = secondRatios.Length == 0 ? null : Statistics.Median(secondRatios),
            SecondRatioLow = Statistics.MedianInterval(secondRatios)?.Low,
            SecondRatioHigh = Statistics.MedianInterval(secondRatios)?.High,
            Ratio = Statistics.Median(ratios),
            RatioLow = Statistics.MedianInterval(ratios)?.Low,
            RatioHigh = Statistics.MedianInterval(ratios)?.High,
            CpuRatio = Statistics.Median(cpuRatios),
            CpuRatioLow = Statistics.MedianInterval(cpuRatios)?.Low,
            CpuRatioHigh = Statistics.MedianInterval(cpuRatios)?.High,
            FioRate = fioRate,
            FioRates = fioRate is null ? null : [.. fioRates.Where(r => r > 0)],
            FioRatio = fioRatios.Length > 1 ? Statistics.Median(fioRatios) : fioRate > 0 ? sluice.Rate / fioRate : null,
            FioRatioLow = Statistics.MedianInterval(fioRatios)?.Low,
            FioRatioHigh = Statistics.MedianInterval(fioRatios)?.High,
            BestRatio = dotNet.SliceRates.DefaultIfEmpty().Max() is > 0 and var best ? sluice.SliceRates.Max() / best : null,
            SluicePageNs = row.FillsPageCache ? Math.Round(Statistics.Median(sluice.PageNs!)) : null,
            DotNetPageNs = row.FillsPageCache ? Math.Round(Statistics.Median(dotNet.PageNs!)) : null,
        };
    }

    private readonly record struct Turn(SliceSample Sample, double PageNs);

    /// <summary>The turns of one side.</summary>
    private sealed class Turns(Contender contender)
    {
        public Contender Contender => contender;

        public List<Turn> Counted { get; } = [];

        public List<Turn> Discarded { get; } = [];

        public Turn Last { get; set; }

        public LatencySummary? Latency { get; set; }

        public ContenderReport Report(double scale, bool hasPages)
        {
            double[] rates = [.. Counted.Select(t => t.Sample.OperationsPerSecond * scale)];
            return new ContenderReport(
                contender.Name, Statistics.Median(rates), Statistics.Median(Counted.Select(t => t.Sample.CpuUsPerOperation)),
                Statistics.Median(Counted.Select(t => t.Sample.AllocatedBytesPerOperation)), rates)
            {
                Latency = Latency,
                PageNs = hasPages ? [.. Counted.Select(t => Math.Round(t.PageNs))] : null,
                DiscardedPageNs = hasPages ? [.. Discarded.Select(t => Math.Round(t.PageNs))] : null,
            };
        }
    }
}
