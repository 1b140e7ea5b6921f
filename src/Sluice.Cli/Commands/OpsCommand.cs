using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Streams;
using Sluice.Cli.Load;
using Sluice.Cli.Programs;
using Sluice.Cli.Programs.Measuring;
using Sluice.Cli.Programs.Ops;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>`sluice ops`: what opening, reading, writing, seeking and closing cost, with FileStream and with SluiceStream.</summary>
internal sealed class OpsCommand(
    OpsOptions options, IReadOnlyList<string> arguments, Terminal terminal, CancellationToken cancellationToken)
{
    private const int WarmUpChunks = 4;
    private const int LargestWarmUpChunkBytes = 4096;

    private static readonly FileOperation[] Operations = Enum.GetValues<FileOperation>();

    private readonly Dictionary<(IoSide Side, FileOperation Operation), List<double>> _milliseconds = [];

    private IReadOnlyList<IoSide> Sides => options.Engine switch
    {
        EngineChoice.Sluice => [IoSide.Sluice],
        EngineChoice.Bcl => [IoSide.Bcl],
        _ => [IoSide.Bcl, IoSide.Sluice],
    };

    public async Task<int> RunAsync()
    {
        if (!Directory.Exists(options.Directory))
            throw new DirectoryNotFoundException($"{options.Directory}: no such directory");
        options.Output.Check(terminal);
        DateTimeOffset began = DateTimeOffset.UtcNow;
        if (EnvironmentProbe.FreeBytesAt(options.Directory) is { } free && free < options.SizeBytes)
            throw new IOException($"{options.Directory}: {ByteSize.Format(options.SizeBytes)} needed, {ByteSize.Format(free)} free");
        foreach (string leftover in ScratchFolder.RemoveLeftovers(options.Directory))
            await terminal.Error.WriteLineAsync($"removed {leftover}, left behind by a run that was killed");
        using (ScratchFolder scratch = ScratchFolder.Create(options.Directory))
        using (var progress = new LiveProgress(terminal, options.Quiet))
            await MeasureAsync(Path.Combine(scratch.FullPath, "ops.dat"), progress);
        ReportPage page = Page(began);
        if (options.Quiet)
            WriteCsv();
        else
            PageText.Write(terminal, page);
        options.Output.Write(page);
        return ExitCode.Success;
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

    private async Task MeasureAsync(string path, LiveProgress progress)
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
        // The first round is not counted.
        for (int round = 0; round <= options.Rounds; round++)
        {
            int number = round;
            progress.Show(() => number == 0 ? "warming up" : $"round {number} of {options.Rounds}");
            foreach (IoSide side in round % 2 == 0 ? Sides : Sides.Reverse())
            {
                foreach ((FileOperation operation, TimeSpan time) in RunOnce(operations, side, opening))
                {
                    if (round > 0)
                        Times(side, operation).Add(time.TotalMilliseconds);
                }
            }
        }
    }

    private List<double> Times(IoSide side, FileOperation operation)
    {
        if (!_milliseconds.TryGetValue((side, operation), out List<double>? times))
            _milliseconds.Add((side, operation), times = []);
        return times;
    }

    private double Median(IoSide side, FileOperation operation) => Statistics.Median(Times(side, operation));

    private void WriteCsv()
    {
        // One engine: the article's two columns.
        terminal.Out.WriteLine(Csv.Line(["Operation", .. Sides.Count == 1 ? ["Time"] : Sides.Select(Name)]));
        foreach (FileOperation operation in Operations)
            terminal.Out.WriteLine(Csv.Line([Name(operation), .. Sides.Select(s => (object?)Median(s, operation))]));
    }

    private ReportPage Page(DateTimeOffset began)
    {
        string text = $"{ByteSize.Format(options.SizeBytes)} by {ByteSize.Format(options.ChunkBytes)} and by byte, "
            + $"{options.SizeBytes / options.ChunkBytes:#,0} seeks, as many times open and close; {ProgramRun.Rounds(options.Rounds)}, ms";
        return new ReportPage
        {
            Title = "The five operations of a file",
            CommandLine = ReportPage.CommandLineOf(arguments),
            Began = began,
            Environment = EnvironmentProbe.ForPath(options.Directory),
            Notes = Sides.Count == 1 ? [] : ["the ratio is FileStream's time to SluiceStream's, the median of the rounds: above 1 Sluice is faster"],
            Sections =
            [
                OpsPage.Section(
                    text, [.. Operations.Select(Name)],
                    [.. Sides.Select(s => (Name(s), (IReadOnlyList<IReadOnlyList<double>>)[.. Operations.Select(o => Times(s, o))]))]),
            ],
        };
    }
}
