using Sluice.Cli.Report;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench;

/// <summary>Measures one row: its contenders in alternating slices, and fio in the same rounds.</summary>
/// <param name="fio">The fio runner; null if no row has a job for it.</param>
internal sealed class RowRunner(BenchContext context, FioRunner? fio, CancellationToken cancellationToken)
{
    /// <returns>The result of the row, and a second result if the row compares Sluice with two alternatives.</returns>
    public async Task<RowReport[]> RunAsync(Suite suite, Row row)
    {
        try
        {
            PoolThreads.StartAnew();
            using Contest contest = row.Open(context);
            return await RunAsync(suite, row, contest);
        }
        finally
        {
            // Scratch files that are not deleted would be written back during the rows after this one.
            context.DeleteScratchFiles();
        }
    }

    private async Task<RowReport[]> RunAsync(Suite suite, Row row, Contest contest)
    {
        TimeSpan sliceTime = suite.SliceTime(context.Scale);
        int rounds = context.Scale.Rounds;
        // The rate is 0 for rounds without fio. A pass of fio uses requests of 1 MiB, so its IOPS are MiB/s.
        var fioRates = new List<double>();
        (string? fioError, string? fioCommand) = (null, null);
        var turns = new TurnRunner(sliceTime, rounds, cancellationToken)
        {
            Fills = row.Fills,
            Limit = suite.RowTime ?? TimeSpan.MaxValue,
            AfterRound = MeasureFio,
        };
        double scale = row.BytesPerOperation is { } bytes ? bytes(context.Scale) / (double)ByteSize.MiB : 1;
        ContenderReport[] sides = [.. await turns.MeasureAllAsync([.. contest.All], scale)];
        RowReport first = Report(suite.Name, row, sides[0], sides[1], fioRates) with { FioError = fioError, FioCommand = fioCommand };
        return sides.Length == 2 ? [first]
            : [first, Report(suite.Name, row, sides[0], sides[2], []) with { Id = $"{row.Id}/second" }];

        void MeasureFio(int round)
        {
            // fio runs in every round if there are as many samples as rounds, and otherwise in the middle round.
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
                    // The row compares Sluice with .NET and is complete without fio.
                    cancellationToken.ThrowIfCancellationRequested();
                    fioError = ErrorText.Of(e);
                }
            }
            fioRates.Add(rate);
        }
    }

    private (double Iops, string CommandLine) RunFio(FioJob job)
    {
        (string file, long sizeBytes) = job.IsDurable ? (context.ScratchFile("fio.dat"), context.Scale.AppendLimitBytes)
            : !job.IsPass ? (context.DirectFile, context.Scale.DirectFileBytes)
            : (job.IsWrite ? context.ScratchFile("fio.dat") : context.SequentialFile, context.Scale.SequentialFileBytes);
        return FioRunner.MeasureIops(job, file, sizeBytes, context.Scale.FioTime);
    }

    private static RowReport Report(
        string suite, Row row, ContenderReport sluice, ContenderReport dotNet, List<double> fioRates)
    {
        double? fioRate = fioRates.Any(r => r > 0) ? Statistics.Median(fioRates.Where(r => r > 0)) : null;
        double[] fioRatios = [.. Statistics.Ratios(sluice.SliceRates, fioRates)];
        double[] cpuRatios = [.. Statistics.Ratios(dotNet.SliceCpuUs, sluice.SliceCpuUs)];
        double[] ratios = [.. Statistics.Ratios(sluice.SliceRates, dotNet.SliceRates)];
        return new RowReport(
            Suite: suite,
            Id: row.Id,
            Name: row.Name,
            Why: row.Why,
            Unit: row.Unit,
            Rounds: sluice.SliceRates.Count,
            Sluice: sluice,
            DotNet: dotNet,
            Ratio: Statistics.Median(ratios),
            RatioLow: Statistics.MedianInterval(ratios)?.Low,
            RatioHigh: Statistics.MedianInterval(ratios)?.High,
            CpuRatio: Statistics.Median(cpuRatios),
            CpuRatioLow: Statistics.MedianInterval(cpuRatios)?.Low,
            CpuRatioHigh: Statistics.MedianInterval(cpuRatios)?.High,
            FioRate: fioRate,
            FioRates: fioRate is null ? null : [.. fioRates.Where(r => r > 0)],
            FioRatio: fioRatios.Length > 1 ? Statistics.Median(fioRatios) : fioRate > 0 ? sluice.Rate / fioRate : null,
            FioRatioLow: Statistics.MedianInterval(fioRatios)?.Low,
            FioRatioHigh: Statistics.MedianInterval(fioRatios)?.High,
            BestRatio: dotNet.High > 0 ? sluice.High / dotNet.High : null);
    }
}
