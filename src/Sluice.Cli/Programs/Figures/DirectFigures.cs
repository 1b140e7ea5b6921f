using Sluice.Cli.Load;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Figures;

/// <summary>Figures 4 and 5: past the page cache, one synchronous request after the other.</summary>
internal sealed class DirectFigures : FigureSet
{
    public override IReadOnlyList<int> Numbers => [4, 5];

    public override TimeSpan EstimateTime(FigureScale scale) => Slices(scale, scale.DirectRequests.Count * 2 * 2);

    public override async Task<PageSection> MeasureAsync(FigureContext context)
    {
        string path = context.SourceFile();
        var points = new List<CurvePoint>();
        foreach (bool writes in (bool[])[false, true])
        {
            string curve = writes ? "write" : "read";
            foreach (int request in context.Scale.DirectRequests)
            {
                context.Progress($"figures 4 and 5: direct {curve}, {ByteSize.Format(request)}");
                var workload = new Workload(path, context.Scale.FileBytes, request)
                {
                    WriteShare = writes ? 1 : 0,
                    Cache = CacheMode.Direct,
                };
                if (await RequestPoint.MeasureAsync(context, curve, workload) is { } point)
                    points.Add(point);
            }
        }
        return new FigureSections(context).Make(
            "Figures 4 and 5: past the page cache, by request size",
            "RandomAccess and SluiceHandle on files opened for direct I/O, synchronous, sequential, one request at a time; writes go over "
            + "blocks that exist. .NET cannot open such a file: Sluice opens it, and .NET's calls run on that descriptor.",
            5, 4, points);
    }
}
