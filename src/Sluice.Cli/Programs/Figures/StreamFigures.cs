using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Streams;
using Sluice.Cli.Programs.Measuring;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Figures;

/// <summary>Figures 2 and 3: FileStream and SluiceStream as they are by default, by the size of the request.</summary>
internal sealed class StreamFigures : FigureSet
{
    private static readonly (string Name, bool Writes, bool Asynchronous)[] Curves =
    [
        ("read, synchronous", false, false), ("read, asynchronous", false, true),
        ("write, synchronous", true, false), ("write, asynchronous", true, true),
    ];

    public override IReadOnlyList<int> Numbers => [2, 3];

    public override TimeSpan EstimateTime(FigureScale scale) => Slices(scale, scale.StreamRequests.Count * Curves.Length * 2);

    public override async Task<PageSection> MeasureAsync(FigureContext context)
    {
        var points = new List<CurvePoint>();
        foreach ((string curve, bool writes, bool asynchronous) in Curves)
        {
            foreach (int request in context.Scale.StreamRequests)
            {
                context.Progress($"figures 2 and 3: {curve}, {ByteSize.Format(request)}");
                points.Add(await MeasureAsync(context, curve, request, writes, asynchronous));
            }
        }
        return new FigureSections(context).Make(
            "Figures 2 and 3: through the page cache, by request size",
            "FileStream and SluiceStream with their default buffers. Reads are cold: the file's pages are dropped before each pass. "
            + "Writes make a new file, and are on the disk at the end of the time counted. A request of 1 B is ReadByte or WriteByte.",
            2, 3, points);
    }

    private static async Task<CurvePoint> MeasureAsync(FigureContext context, string curve, int request, bool writes, bool asynchronous)
    {
        StreamOpening opening = writes
            ? StreamOpening.Writing(Path.Combine(context.Scratch, "figures-written.dat"), context.Scale.FileBytes, asynchronous)
            : StreamOpening.Reading(context.SourceFile(), context.Scale.FileBytes, asynchronous);
        Contender[] sides = writes
            ? [TimedPasses.Writing<FileStreamSide>(opening, request), TimedPasses.Writing<SluiceStreamSide>(opening, request)]
            : [TimedPasses.Reading<FileStreamSide>(opening, request, cold: true),
                TimedPasses.Reading<SluiceStreamSide>(opening, request, cold: true)];
        IReadOnlyList<MeasuredRate> readings = await context.Points.MeasureAsync(sides);
        if (writes)
            File.Delete(opening.Path);
        return new CurvePoint(curve, request, 1, readings[0], readings[1]);
    }
}
