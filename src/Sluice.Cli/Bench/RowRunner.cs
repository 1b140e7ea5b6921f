using System.Globalization;
using Sluice.Cli.Load;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench;

/// <summary>Measures one row: its sides in turns, fio in the same rounds, and then the latencies of the sides.</summary>
/// <param name="fio">Null: no row has a job for it.</param>
/// <param name="pageCost">Nanoseconds to touch a page now; null: it is measured.</param>
internal sealed class RowRunner(
    BenchContext context, FioRunner? fio, CancellationToken cancellationToken, Func<double>? pageCost = null)
{
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
        int rounds = Math.Min(context.Scale.Rounds, row.MaxRounds ?? int.MaxValue);
        bool isSinglePass = row.FillsPageCache && !row.FillsForSlice;
        // 0 where fio did not run. A pass of fio's is by 1 MiB, so that its operations are the row's MiB.
        var fioRates = new List<double>();
        (string? fioError, string? fioCommand) = (null, null);
        var turns = new TurnRunner(sliceTime, rounds, cancellationToken)
        {
            PageCost = row.FillsPageCache ? pageCost ?? PageCost.MeasureNanoseconds : null,
            IsSinglePass = isSinglePass,
            Limit = suite.RowTime ?? TimeSpan.MaxValue,
            AfterRound = MeasureFio,
        };
        double scale = row.BytesPerOperation is { } bytes ? bytes(context.Scale) / (double)ByteSize.MiB : 1;
        ContenderReport[] sides = [.. await turns.MeasureAllAsync([.. contest.All], scale)];
        if (fioRates.Count == 0)
            throw NeverAlike(sides);
        foreach ((int i, Contender contender) in contest.All.Index())
        {
            if (!isSinglePass && !contender.IsPass && !contender.RunsPrograms)
                sides[i] = sides[i] with { Latency = await MeasureLatencyAsync(contender, sliceTime) };
        }
        cancellationToken.ThrowIfCancellationRequested();
        return Report(suite.Name, row, sides, fioRates) with { FioError = fioError, FioCommand = fioCommand };

        void MeasureFio(int round)
        {
            // Every round if there are to be as many samples as rounds; with one sample, the middle one.
            bool isDue = context.Scale.FioSamples >= rounds || round == rounds / 2;
            double rate = 0;
            if (isDue && fioError is null && row.Fio is { } job && fio is { IsAvailable: true })
            {
                try
                {
                    (rate, fioCommand) = RunFio(job);
                }
                catch (IOException e)
                {
                    // The row is about Sluice and .NET and stands without fio.
                    cancellationToken.ThrowIfCancellationRequested();
                    fioError = ErrorText.Of(e);
                }
            }
            fioRates.Add(rate);
        }
    }

    private static RowSkippedException NeverAlike(ContenderReport[] sides)
    {
        string costs = string.Join(", ", sides.Select(s => string.Create(
            CultureInfo.InvariantCulture, $"{Statistics.Median(s.DiscardedPageNs!):#,0} ns before {s.Name}'s turns")));
        return new RowSkippedException(
            $"the cost of touching a page differed between the sides in {Counted.Of(sides[0].DiscardedPageNs!.Count, "round")}: {costs}");
    }

    /// <summary>In a turn of its own: to look at the clock for each operation costs more than some operations.</summary>
    private async Task<LatencySummary?> MeasureLatencyAsync(Contender contender, TimeSpan sliceTime)
    {
        var histogram = new LatencyHistogram();
        await new SliceRunner(cancellationToken).RunAsync(contender, sliceTime, histogram);
        return LatencySummary.From(histogram);
    }

    private (double Iops, string CommandLine) RunFio(FioJob job)
    {
        (string file, long sizeBytes) = job.IsRemote ? (context.RemoteFile, context.Scale.RemoteFileBytes)
            : job.IsDurable ? (context.ScratchFile("fio.dat"), context.Scale.AppendLimitBytes)
            : !job.IsPass ? (context.DirectFile, context.Scale.DirectFileBytes)
            : (job.IsWrite ? context.ScratchFile("fio.dat") : context.SequentialFile, context.Scale.SequentialFileBytes);
        return FioRunner.MeasureIops(job, file, sizeBytes, context.Scale.FioTime);
    }

    private static RowReport Report(string suite, Row row, ContenderReport[] sides, List<double> fioRates)
    {
        (ContenderReport sluice, ContenderReport dotNet) = (sides[0], sides[1]);
        ContenderReport? second = sides.Length > 2 ? sides[2] : null;
        double? fioRate = fioRates.Any(r => r > 0) ? Statistics.Median(fioRates.Where(r => r > 0)) : null;
        double[] fioRatios = [.. Statistics.Ratios(sluice.SliceRates, fioRates)];
        double[] cpuRatios = [.. Statistics.Ratios(dotNet.SliceCpuUs, sluice.SliceCpuUs)];
        double[] ratios = [.. Statistics.Ratios(sluice.SliceRates, dotNet.SliceRates)];
        double[] secondRatios = [.. Statistics.Ratios(sluice.SliceRates, second?.SliceRates ?? [])];
        return new RowReport
        {
            Suite = suite,
            Id = row.Id,
            Name = row.Name,
            Why = row.Why,
            Unit = row.Unit,
            Rounds = fioRates.Count,
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
            BestRatio = dotNet.High > 0 ? sluice.High / dotNet.High : null,
            SluicePageNs = sluice.PageNs is { } ours ? Math.Round(Statistics.Median(ours)) : null,
            DotNetPageNs = dotNet.PageNs is { } theirs ? Math.Round(Statistics.Median(theirs)) : null,
            DiscardedRounds = sluice.DiscardedPageNs?.Count ?? 0,
        };
    }
}
