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
        run.Prepare(Sides.Count * sizeBytes, Counted.Of(rounds, "round"),
            WarmUpSeconds + (SecondsOfMiB * Sides.Count * (rounds + 1) * sizeBytes / ByteSize.MiB));
        StepResults<IReadOnlyList<ContenderReport?>> measured = await run.InScratchAsync(async (folder, progress) =>
        {
            progress.Show(() => "warming up");
            int few = Math.Min(chunkBytes, LargestWarmUpChunkBytes);
            var turns = new TurnRunner(TimeSpan.Zero, rounds, context.CancellationToken)
            {
                Progress = (round, contender) => progress.Show(() => $"round {round} of {rounds}, {contender.Name}"),
            };
            await turns.WarmUpAsync(Contenders(folder, WarmUpChunks * few, few, TurnRunner.WarmUpCalls));
            // An unmeasured run of each operation creates the files.
            Contender[] contenders = Contenders(folder, sizeBytes, chunkBytes, runs: 1);
            await new TurnRunner(TimeSpan.Zero, rounds: 1, context.CancellationToken).MeasureAsync(contenders);
            return await ProgramRun.RunStepsAsync([contenders], all => turns.MeasureAsync(all), context.CancellationToken);
        });
        // Each element has the results of one operation, one for each stream type.
        ContenderReport?[][] rates = measured.Results.Count == 0 ? [] : [.. measured.Results[0].Chunk(Sides.Count)];
        if (quiet)
            WriteCsv(rates, measured.Interrupted);
        string[] notes = Sides.Count == 1 ? []
            : ["the ratio is FileStream's time to SluiceStream's, the median of the rounds: above 1 Sluice is faster"];
        ReportPage page = run.Page(measured, Title, notes, rates.Any(r => r.Any(s => s is not null)) ? [Section(rates)] : []);
        if (!quiet)
            PageText.Write(context.Terminal, page);
        context.Output.Write(context.Terminal, page);
        measured.ReportFailure(context.Terminal);
        return measured.ExitCode;
    }

    private static string Name(IoSide side) => side == IoSide.Bcl ? "FileStream" : "SluiceStream";

    private Contender[] Contenders(string folder, int bytes, int chunk, int runs)
    {
        IReadOnlyList<Contender>[] sides =
        [
            .. Sides.Select(side => side == IoSide.Bcl ? Of<FileStreamSide>("ops-net.dat") : Of<SluiceStreamSide>("ops-slu.dat")),
        ];
        return [.. Enumerable.Range(0, FileOperations.Names.Count).SelectMany(i => sides.Select(s => s[i]))];

        IReadOnlyList<Contender> Of<TSide>(string name)
            where TSide : struct, IStreamSide =>
            new FileOperations<TSide>(Path.Combine(folder, name), bytes, chunk, runs, context.CancellationToken).Contenders;
    }

    private void WriteCsv(ContenderReport?[][] rates, bool isInterrupted)
    {
        // With one stream type, the columns are those of the article "File I/O Performance Tips".
        context.Terminal.Out.WriteLine(Csv.Line(["Operation", .. Sides.Count == 1 ? ["Time"] : Sides.Select(Name)]));
        foreach ((int i, ContenderReport?[] sides) in rates.Index())
            context.Terminal.Out.WriteLine(Csv.Line([FileOperations.Names[i], .. sides.Select(s => (object?)(1000 / s?.Rate))]));
        if (isInterrupted)
            context.Terminal.WriteError($"interrupted before all of the {Counted.Of(rounds, "round")} were measured");
    }

    private PageSection Section(ContenderReport?[][] rates) => new()
    {
        Heading = Title,
        Text = $"{ByteSize.Format(sizeBytes)} by {ByteSize.Format(chunkBytes)} and by byte, "
            + $"{sizeBytes / chunkBytes:#,0} seeks, as many times open and close; "
            + $"{ProgramRun.Rounds(rates.Max(r => r.Max(s => s?.SliceRates.Count ?? 0)))}, ms",
        Charts =
        [
            PageChart.OfRounds(
                "Time of each operation; shorter is better", new ChartAxis("operation", Categories: FileOperations.Names),
                new ChartAxis("time", "ms"),
                Sides.Select((side, i) => (Name(side), rates.Select(r => r[i]?.SliceRates.Select(rate => 1000 / rate))))),
        ],
        Tables =
        [
            new PageTable(
                [
                    PageColumn.Text("operation"), .. Sides.Select(s => new PageColumn(Name(s), "ms")),
                    .. Sides.Count == 2 ? ["ratio"] : Array.Empty<PageColumn>(),
                ],
                [
                    .. rates.Select((sides, i) => new PageRow(
                        [
                            FileOperations.Names[i], .. sides.Select(s => s?.Milliseconds() ?? PageCell.Empty),
                            .. sides.Length == 2 ? [sides[1]?.RatioTo(sides[0]) ?? PageCell.Empty] : Array.Empty<PageCell>(),
                        ])),
                ]),
        ],
    };
}
