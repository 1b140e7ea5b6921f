using System.CommandLine;
using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Streams;
using Sluice.Cli.Load;
using Sluice.Cli.Programs;
using Sluice.Cli.Programs.Measuring;
using Sluice.Cli.Programs.Ops;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>`sluice ops`: the cost of opening, reading, writing, seeking and closing with FileStream and with SluiceStream.</summary>
internal sealed class OpsCommand(
    string directory, int sizeBytes, int chunkBytes, int rounds, EngineChoice engine, bool quiet, CommandContext context)
{
    private const string Title = "The five operations of a file";
    private const int WarmUpChunks = 4;
    private const double WarmUpSeconds = 2;
    private const double SecondsOfMiB = 0.02;
    private const int LargestWarmUpChunkBytes = 4096;

    // .NET first, as the ratio compares Sluice with it.
    private IReadOnlyList<IoSide> Sides { get; } = [.. SpeedOptions.SidesOf(engine).Reverse()];

    public static CommandBinder Define(OptionList command)
    {
        Func<ParseResult, string> directory = command.ScratchParent();
        Option<string> size = command.Value("--size", null, "size", "Bytes to write and to read, up to 1G (20M).");
        Option<string> chunk = command.Value("--chunk", "b", "size", "Bytes of a chunk (4K).");
        Option<string> rounds = command.Rounds();
        Option<string> engine = command.Value("--engine", null, "name", "sluice, bcl (.NET's FileStream) or both (both).");
        Option<bool> quiet = command.Flag("--quiet", "q", "Print comma-separated lines: operation, milliseconds.");
        return (result, context) =>
        {
            long sizeBytes = OptionText.Size("--size", result.GetValue(size), 1, ByteSize.GiB) ?? 20 * ByteSize.MiB;
            long chunkBytes = OptionText.Size("--chunk", result.GetValue(chunk), 1, ByteSize.GiB) ?? 4 * ByteSize.KiB;
            return sizeBytes % chunkBytes != 0
                ? throw new UsageException($"--size is whole chunks, and {sizeBytes} is not a multiple of {chunkBytes}")
                : new OpsCommand(
                    directory(result), (int)sizeBytes, (int)chunkBytes, OptionText.Rounds(result.GetValue(rounds), 5),
                    SpeedOptions.EngineOf(result.GetValue(engine)) ?? EngineChoice.Both, result.GetValue(quiet), context)
                    .RunAsync;
        };
    }

    private async Task<int> RunAsync()
    {
        var run = new MeasuringRun(context, directory, quiet);
        run.Prepare(Sides.Count * (long)sizeBytes, Counted.Of(rounds, "round"),
            WarmUpSeconds + (SecondsOfMiB * Sides.Count * rounds * sizeBytes / ByteSize.MiB));
        var (timer, measured) = await run.InScratchAsync(async (folder, progress) =>
        {
            var timer = new RowTimer(folder, rounds, progress, context.CancellationToken);
            int few = Math.Min(chunkBytes, LargestWarmUpChunkBytes);
            await timer.WarmUpAsync(Rows(folder, WarmUpChunks * few, few));
            return (timer, await ProgramRun.RunStepsAsync(
                [Rows(folder, sizeBytes, chunkBytes)], rows => timer.MeasureAsync(rows), context.CancellationToken));
        });
        string[] notes = Sides.Count == 1 ? []
            : ["the ratio is FileStream's time to SluiceStream's, the median of the rounds: above 1 Sluice is faster"];
        IGrouping<string, TimedResult>[] operations = [.. timer.Results.GroupBy(r => r.Group)];
        return run.Finish(
            measured, Title, [.. notes, .. timer.Notes], operations.Length > 0 ? [Section(operations, timer.Rounds)] : [], timer.Errors,
            quiet ? () => WriteCsv(operations, measured.Interrupted) : null);
    }

    private static string Name(IoSide side) => side == IoSide.Bcl ? "FileStream" : "SluiceStream";

    private static ContenderReport? RateOf(IEnumerable<TimedResult> operation, IoSide side) =>
        operation.FirstOrDefault(r => r.Side == side)?.Rate;

    /// <summary>Returns the rows of both sides, operation by operation.</summary>
    private TimedRow[] Rows(string folder, int bytes, int chunk)
    {
        IReadOnlyList<TimedRow>[] sides =
        [
            .. Sides.Select(
                side => side == IoSide.Bcl ? Of<FileStreamSide>(side, "ops-net.dat") : Of<SluiceStreamSide>(side, "ops-slu.dat")),
        ];
        return [.. sides[0].Index().SelectMany(operation => sides.Select(s => s[operation.Index]))];

        IReadOnlyList<TimedRow> Of<TSide>(IoSide side, string file)
            where TSide : struct, IStreamSide =>
            new FileOperations<TSide>(side, Path.Combine(folder, file), bytes, chunk, context.CancellationToken).Rows;
    }

    private void WriteCsv(IEnumerable<IGrouping<string, TimedResult>> operations, bool isInterrupted)
    {
        // With one stream type, the columns are those of the article "File I/O Performance Tips".
        context.Terminal.Out.WriteLine(Csv.Line(["Operation", .. Sides.Count == 1 ? ["Time"] : Sides.Select(Name)]));
        foreach (var operation in operations)
            context.Terminal.Out.WriteLine(Csv.Line([operation.Key, .. Sides.Select(s => (object?)(1000 / RateOf(operation, s)?.Rate))]));
        if (isInterrupted)
            context.Terminal.WriteError($"interrupted before all of the {Counted.Of(rounds, "round")} were measured");
    }

    private PageSection Section(IReadOnlyList<IGrouping<string, TimedResult>> operations, int measuredRounds) => new()
    {
        Heading = Title,
        Text = $"{ByteSize.Format(sizeBytes)} by {ByteSize.Format(chunkBytes)} and by byte, "
            + $"{sizeBytes / chunkBytes:#,0} seeks, as many times open and close; {ProgramRun.Rounds(measuredRounds)}, ms",
        Charts =
        [
            PageChart.OfRounds(
                "Time of each operation; shorter is better", new ChartAxis("operation", Categories: [.. operations.Select(o => o.Key)]),
                new ChartAxis("time", "ms"),
                Sides.Select(side => (Name(side), operations.Select(o => RateOf(o, side)?.SliceRates.Select(rate => 1000 / rate))))),
        ],
        Tables =
        [
            PageTable.Of(
                operations, o => o.Key,
                [
                    (PageColumn.Text("operation"), o => o.Key),
                    .. Sides.Select(side => (new PageColumn(Name(side), "ms"), MillisecondsOf(side))),
                    ("ratio", o => RateOf(o, IoSide.Sluice)?.RatioTo(RateOf(o, IoSide.Bcl)) ?? PageCell.Empty),
                ]).WithoutEmptyColumns(),
        ],
    };

    private static Func<IGrouping<string, TimedResult>, PageCell> MillisecondsOf(IoSide side) =>
        operation => RateOf(operation, side)?.Milliseconds() ?? PageCell.Empty;
}
