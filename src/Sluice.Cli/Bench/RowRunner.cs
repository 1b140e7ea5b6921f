using System.Diagnostics;
using System.Globalization;
using Sluice.Cli.Load;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Bench;

/// <summary>Measures one row: its contenders in turn, slice by slice, so that a drifting device meets them alike.</summary>
/// <param name="pageCost">Nanoseconds to touch a page now; null: it is measured.</param>
internal sealed class RowRunner(
    BenchContext context, FioRunner fio, CancellationToken cancellationToken, Func<double>? pageCost = null)
{
    /// <summary>Long enough for the JIT to have compiled the loops with full optimisation (its timer is 100 ms).</summary>
    private const double WarmUpSlices = 1.5;

    private readonly SliceRunner _slices = new(cancellationToken);

    public async Task<RowReport> RunAsync(Suite suite, Row row)
    {
        try
        {
            return await RunContestAsync(suite, row);
        }
        finally
        {
            // Or they would be written back during the rows after this one.
            context.DeleteScratchFiles();
        }
    }

    private async Task<RowReport> RunContestAsync(Suite suite, Row row)
    {
        TimeSpan sliceTime = suite.SliceTime(context.Scale);
        PoolThreads.StartAnew();
        using Contest contest = row.Open(context);
        Contender[] contenders = [.. contest.All];
        var samples = contenders.ToDictionary(c => c, _ => new List<SliceSample>());
        // Null where fio did not run in a round that counts.
        var fioRates = new List<double?>();
        var costs = contenders.ToDictionary(c => c, _ => new List<double>());
        var discardedCosts = contenders.ToDictionary(c => c, _ => new List<double>());
        int discarded = 0;
        string? fioError = null;
        string? fioCommand = null;
        (string Path, long SizeBytes)? fioFile = row.Fio is not null && fio.IsAvailable ? FileOf(row.Fio) : null;

        foreach (Contender contender in contenders)
            await _slices.RunAsync(contender, sliceTime * WarmUpSlices);
        (long looks, long met) = (RingDiagnosis.SubmissionLooks, RingDiagnosis.SubmissionsMet);
        int rounds = Math.Min(context.Scale.Rounds, row.MaxRounds ?? int.MaxValue);
        int completedRounds = 0;
        long began = Stopwatch.GetTimestamp();
        for (int round = 0; completedRounds < rounds && !cancellationToken.IsCancellationRequested; round++)
        {
            if (suite.RowTime is { } rowTime && completedRounds > 0
                && Stopwatch.GetElapsedTime(began) > rowTime * (completedRounds >= Statistics.FewestPairs ? 1 : Suite.RowLimits))
            {
                break;
            }
            var turn = new Dictionary<Contender, (SliceSample Sample, double PageNs)>();
            foreach (Contender contender in Rounds.ThereAndBack(contenders, round))
                turn.Add(contender, await RunTurnAsync(row, contender, sliceTime));
            if (row.FillsPageCache && !PageCost.AreAlike([.. turn.Values.Select(t => t.PageNs)]))
            {
                foreach ((Contender contender, (_, double pageNs)) in turn)
                    discardedCosts[contender].Add(pageNs);
                // Of a machine that never settles the row has the rounds that were alike, and says how many were not.
                if (++discarded >= rounds)
                    break;
                continue;
            }
            foreach ((Contender contender, (SliceSample sample, double pageNs)) in turn)
            {
                samples[contender].Add(sample);
                costs[contender].Add(pageNs);
            }
            double? fioRate = null;
            if (fioFile is { } file && fioError is null && IsFioRound(completedRounds, rounds))
            {
                (fioRate, string? ran, fioError) = await MeasureFioAsync(row.Fio!, file.Path, file.SizeBytes);
                fioCommand = ran ?? fioCommand;
            }
            fioRates.Add(fioRate);
            completedRounds++;
        }
        cancellationToken.ThrowIfCancellationRequested();
        if (completedRounds == 0)
            throw NeverAlike(contest, discardedCosts);
        Dictionary<Contender, LatencySummary?> latencies = await MeasureLatenciesAsync(row, contenders, sliceTime);
        cancellationToken.ThrowIfCancellationRequested();
        RowReport report = Report(suite.Name, row, contest, samples, latencies, fioRates, completedRounds) with
        {
            FioError = fioError ?? contest.FioError,
            FioCommand = fioCommand ?? contest.Second?.CommandLine?.Invoke(),
            DiscardedRounds = discarded,
            MeetingPercent = !row.CountsMeetings
                ? null
                : Math.Round(100.0 * (RingDiagnosis.SubmissionsMet - met) / Math.Max(1, RingDiagnosis.SubmissionLooks - looks), 2),
        };
        return !row.FillsPageCache ? report : report with
        {
            SluicePageNs = Math.Round(Statistics.Median(costs[contest.Sluice])),
            DotNetPageNs = Math.Round(Statistics.Median(costs[contest.DotNet])),
            Sluice = WithCosts(report.Sluice, contest.Sluice),
            DotNet = WithCosts(report.DotNet, contest.DotNet),
            Second = report.Second is null ? null : WithCosts(report.Second, contest.Second!),
        };

        ContenderReport WithCosts(ContenderReport side, Contender contender) => side with
        {
            PageNs = [.. costs[contender].Select(ns => Math.Round(ns))],
            DiscardedPageNs = [.. discardedCosts[contender].Select(ns => Math.Round(ns))],
        };
    }

    private static RowSkippedException NeverAlike(Contest contest, Dictionary<Contender, List<double>> costs)
    {
        string told = string.Join(", ", contest.All.Select(c => string.Create(
            CultureInfo.InvariantCulture, $"{Statistics.Median(costs[c]):#,0} ns before {c.Name}'s turns")));
        return new RowSkippedException(
            $"the sides never met the same memory in {Counted.Of(costs[contest.Sluice].Count, "round")}: touching a page cost {told}");
    }

    private async Task<(SliceSample Sample, double PageNs)> RunTurnAsync(
        Row row, Contender contender, TimeSpan sliceTime)
    {
        if (!row.FillsPageCache)
            return (await _slices.RunAsync(contender, sliceTime), 0);
        // The pages that this pass is about to give back are those that the measured one takes.
        TimeSpan time = row.FillsForSlice ? sliceTime : TimeSpan.Zero;
        await _slices.RunAsync(contender, time);
        double cost = 0;
        // After what the contender sets right, which may write back and drop pages for seconds.
        SliceSample sample = await _slices.RunAsync(
            contender, time, beforeStart: () => cost = pageCost?.Invoke() ?? PageCost.MeasureNanoseconds());
        return (sample, cost);
    }

    /// <summary>Turns of their own: to look at the clock for each operation costs more than some operations.</summary>
    private async Task<Dictionary<Contender, LatencySummary?>> MeasureLatenciesAsync(Row row, Contender[] contenders, TimeSpan sliceTime)
    {
        var summaries = new Dictionary<Contender, LatencySummary?>();
        foreach (Contender contender in contenders)
        {
            bool isTimed = contender.RunTimedAsync is not null;
            if (!isTimed && ((row.FillsPageCache && !row.FillsForSlice) || contender.IsPass || contender.RunsPrograms))
                continue;
            var histogram = new LatencyHistogram();
            Contender timed = isTimed
                ? contender with { RunAsync = contender.RunTimedAsync!, MeasuresAllocations = true, Prepare = null, Loops = 1 }
                : contender;
            await _slices.RunAsync(timed, sliceTime, histogram);
            summaries[contender] = LatencySummary.From(histogram);
        }
        return summaries;
    }

    private (string Path, long SizeBytes) FileOf(FioJob job) => job.IsRemote
        ? (context.RemoteFile, context.Scale.RemoteFileBytes)
        : job.IsDurable
        ? (context.ScratchFile("fio.dat"), context.Scale.AppendLimitBytes)
        : !job.IsPass
        ? (context.DirectFile, context.Scale.DirectFileBytes)
        : (job.IsWrite ? context.ScratchFile("fio.dat") : context.SequentialFile, context.Scale.SequentialFileBytes);

    /// <returns>What fio ran and gave; or why it gave no figure: the row is about Sluice and .NET and stands without it.</returns>
    private async Task<(double? Iops, string? CommandLine, string? Error)> MeasureFioAsync(FioJob job, string file, long sizeBytes)
    {
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

    /// <summary>In each, where there are to be as many samples as rounds; of one sample in the middle one.</summary>
    private bool IsFioRound(int round, int rounds) => context.Scale.FioSamples >= rounds || round == rounds / 2;

    private RowReport Report(
        string suite, Row row, Contest contest, Dictionary<Contender, List<SliceSample>> samples,
        Dictionary<Contender, LatencySummary?> latencies, List<double?> fioIops, int rounds)
    {
        double scale = row.BytesPerOperation is { } bytes ? bytes(context.Scale) / (double)ByteSize.MiB : 1;
        ContenderReport Summarize(Contender contender)
        {
            double[] rates = [.. samples[contender].Select(s => s.OperationsPerSecond * scale)];
            return new ContenderReport(
                contender.Name, Statistics.Median(rates), Statistics.Median(samples[contender].Select(s => s.CpuUsPerOperation)),
                Statistics.Median(samples[contender].Select(s => s.AllocatedBytesPerOperation)), rates)
            {
                Latency = latencies.GetValueOrDefault(contender),
            };
        }
        ContenderReport sluice = Summarize(contest.Sluice);
        ContenderReport dotNet = Summarize(contest.DotNet);
        ContenderReport? second = contest.Second is null ? null : Summarize(contest.Second);
        ContenderReport? compared = contest.HasSecondRatio ? second : null;
        // A pass of fio's is by 1 MiB, so that its operations are the row's MiB.
        double[] fioRates = [.. fioIops.Select(i => i ?? 0)];
        double? fioRate = fioRates.Any(r => r > 0) ? Statistics.Median(fioRates.Where(r => r > 0)) : null;
        double[] fioRatios = [.. Statistics.Ratios(sluice.SliceRates, fioRates)];
        double[] cpuRatios = [.. Statistics.Ratios(
            [.. samples[contest.DotNet].Select(s => s.CpuUsPerOperation)], [.. samples[contest.Sluice].Select(s => s.CpuUsPerOperation)])];
        var report = new RowReport
        {
            Suite = suite,
            Id = row.Id,
            Name = context.Scale.NameOf(row),
            Why = row.Why,
            Unit = row.Unit switch { RateUnit.Iops => "IOPS", RateUnit.MiBPerSecond => "MiB/s", _ => "ops/s" },
            Rounds = rounds,
            Sluice = sluice,
            DotNet = dotNet,
            Second = second,
            SecondRatio = compared is null ? null : Statistics.MedianRatio(sluice.SliceRates, compared.SliceRates),
            Ratio = Statistics.MedianRatio(sluice.SliceRates, dotNet.SliceRates) ?? 0,
            CpuRatio = cpuRatios.Length == 0 ? 0 : Statistics.Median(cpuRatios),
            FioRate = fioRate,
            FioRates = fioRate is null ? null : [.. fioRates.Where(r => r > 0)],
            FioRatio = fioRatios.Length > 1 ? Statistics.Median(fioRatios) : fioRate > 0 ? sluice.Rate / fioRate : null,
            Targets = [],
        };
        (double Low, double High)? interval = Statistics.MedianInterval(report.RoundRatios);
        (double Low, double High)? secondInterval =
            compared is null ? null : Statistics.MedianInterval([.. Statistics.Ratios(sluice.SliceRates, compared.SliceRates)]);
        (double Low, double High)? fioInterval = Statistics.MedianInterval(fioRatios);
        (double Low, double High)? cpuInterval = Statistics.MedianInterval(cpuRatios);
        return report with
        {
            RatioLow = interval?.Low,
            RatioHigh = interval?.High,
            SecondRatioLow = secondInterval?.Low,
            SecondRatioHigh = secondInterval?.High,
            FioRatioLow = fioInterval?.Low,
            FioRatioHigh = fioInterval?.High,
            CpuRatioLow = cpuInterval?.Low,
            CpuRatioHigh = cpuInterval?.High,
            BestRatio = dotNet.SliceRates.DefaultIfEmpty().Max() is > 0 and var best
                ? sluice.SliceRates.DefaultIfEmpty().Max() / best
                : null,
            // Of shorter runs nothing is said.
            Targets = context.Scale == BenchScale.Full ? TargetCheck.Evaluate(row.Target, report) : [],
        };
    }
}
