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

/// <summary>`sluice ops`: what opening, reading, writing, seeking and closing cost, with FileStream and with SluiceStream.</summary>
internal sealed class OpsCommand(
    OpsOptions options, IReadOnlyList<string> arguments, TerminalStreams terminal, CancellationToken cancellationToken)
{
    private const int WarmUpChunks = 4;
    private const double WarmUpSeconds = 2;
    private const double SecondsOfMiB = 0.02;
    private const int LargestWarmUpChunkBytes = 4096;

    private static readonly FileOperation[] Operations = Enum.GetValues<FileOperation>();

    private IReadOnlyList<IoSide> Sides => options.Engine switch
    {
        EngineChoice.Sluice => [IoSide.Sluice],
        EngineChoice.Bcl => [IoSide.Bcl],
        _ => [IoSide.Bcl, IoSide.Sluice],
    };

    public async Task<int> RunAsync()
    {
        ProgramRun.Prepare(options.Directory, options.SizeBytes, terminal);
        options.Output.Check(terminal);
        if (!options.Quiet)
        {
            ProgramRun.Announce(terminal, Counted.Of(options.Rounds, "round"),
                WarmUpSeconds + (SecondsOfMiB * Sides.Count * (options.Rounds + 1) * options.SizeBytes / ByteSize.MiB));
        }
        DateTimeOffset began = DateTimeOffset.UtcNow;
        StepResults<Round> rounds;
        using (ScratchFolder scratch = ScratchFolder.Create(options.Directory, terminal.TellAtEnd))
        using (var progress = new LiveProgress(terminal, options.Quiet))
            rounds = await MeasureAsync(Path.Combine(scratch.FullPath, "ops.dat"), progress);
        ReportPage page = Page(began, rounds);
        if (options.Quiet)
            WriteCsv(rounds);
        else
            PageText.Write(terminal, page);
        options.Output.Write(terminal, page);
        rounds.ReportFailure(terminal);
        return rounds.ExitCode;
    }

    private static string Name(FileOperation operation) => operation switch
    {
        FileOperation.WriteChunk => "Write Chunk",
        FileOperation.WriteByte => "Write Byte",
        FileOperation.ReadChunk => "Read Chunk",
        FileOperation.ReadByte => "Read Byte",
        FileOperation.Seek => "Seek",
        _ => "Open+Close",
    };

    private static string Name(IoSide side) => side == IoSide.Bcl ? "FileStream" : "SluiceStream";

    private static StreamOpening Opening(string path) =>
        new(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, lengthBytes: 0) { Share = FileShare.None };

    private static IReadOnlyDictionary<FileOperation, TimeSpan> RunOnce(FiveOperations operations, IoSide side, StreamOpening opening) =>
        side == IoSide.Bcl
            ? operations.Run(_ => FileStreamSide.Open(opening))
            : operations.Run(_ => SluiceStreamSide.Open(opening));

    private async Task<StepResults<Round>> MeasureAsync(string path, LiveProgress progress)
    {
        StreamOpening opening = Opening(path);
        progress.Show(() => "warming up");
        int chunkBytes = Math.Min(options.ChunkBytes, LargestWarmUpChunkBytes);
        var few = new FiveOperations(path, WarmUpChunks * chunkBytes, chunkBytes, cancellationToken);
        await CodeWarmUp.RunAsync(() =>
        {
            foreach (IoSide side in Sides)
            {
                for (int i = 0; i < CodeWarmUp.Calls; i++)
                    RunOnce(few, side, opening);
            }
            return Task.CompletedTask;
        }, cancellationToken);

        var operations = new FiveOperations(path, options.SizeBytes, options.ChunkBytes, cancellationToken);
        RunRound(operations, opening, Sides);
        return await ProgramRun.RunStepsAsync(Enumerable.Range(1, options.Rounds), number =>
        {
            progress.Show(() => $"round {number} of {options.Rounds}");
            return Task.FromResult(RunRound(operations, opening, Rounds.ThereAndBack(Sides, number)));
        }, cancellationToken);
    }

    private static Round RunRound(FiveOperations operations, StreamOpening opening, IEnumerable<IoSide> order)
    {
        var round = new Round();
        foreach (IoSide side in order)
        {
            File.Delete(opening.Path);
            Settling.FileSystemOf(Path.GetDirectoryName(opening.Path)!);
            Settling.Memory();
            foreach ((FileOperation operation, TimeSpan time) in RunOnce(operations, side, opening))
                round.Add((side, operation), time.TotalMilliseconds);
        }
        return round;
    }

    private static IReadOnlyList<double> Times(StepResults<Round> rounds, IoSide side, FileOperation operation) =>
        [.. rounds.Results.Select(r => r[(side, operation)])];

    private void WriteCsv(StepResults<Round> rounds)
    {
        // One engine: the article's two columns.
        terminal.Out.WriteLine(Csv.Line(["Operation", .. Sides.Count == 1 ? ["Time"] : Sides.Select(Name)]));
        foreach (FileOperation operation in rounds.Results.Count == 0 ? [] : Operations)
            terminal.Out.WriteLine(Csv.Line([Name(operation),
                .. Sides.Select(s => (object?)Statistics.Median(Times(rounds, s, operation)))]));
        if (rounds.Interrupted)
            terminal.WriteError($"interrupted after {rounds.Results.Count} of {options.Rounds} rounds");
    }

    private ReportPage Page(DateTimeOffset began, StepResults<Round> rounds)
    {
        string text = $"{ByteSize.Format(options.SizeBytes)} by {ByteSize.Format(options.ChunkBytes)} and by byte, "
            + $"{options.SizeBytes / options.ChunkBytes:#,0} seeks, as many times open and close; "
            + $"{ProgramRun.Rounds(rounds.Results.Count)}, ms";
        return new ReportPage
        {
            Title = "The five operations of a file",
            CommandLine = ReportPage.CommandLineOf(arguments),
            Began = began,
            Environment = EnvironmentProbe.ForPath(options.Directory),
            Notes =
            [
                .. Sides.Count == 1 ? Array.Empty<string>()
                    : ["the ratio is FileStream's time to SluiceStream's, the median of the rounds: above 1 Sluice is faster"],
                .. rounds.Notes(),
            ],
            Sections = rounds.Results.Count == 0
                ? []
                :
                [
                    OpsPage.Section(
                        text, [.. Operations.Select(Name)],
                        [.. Sides.Select(s => (Name(s),
                            (IReadOnlyList<IReadOnlyList<double>>)[.. Operations.Select(o => Times(rounds, s, o))]))]),
                ],
        };
    }

    /// <summary>Milliseconds of each operation, on each side.</summary>
    private sealed class Round : Dictionary<(IoSide Side, FileOperation Operation), double>;
}
