using Sluice.Cli.Load;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Figures;

/// <summary>
/// Figures 6 and 7: what the device can do with several requests at once. The report striped 16 disks; a device of today takes many
/// requests by itself.
/// </summary>
internal sealed class DepthFigures : FigureSet
{
    private static readonly (string Name, bool Writes, CacheMode Cache)[] Curves =
        [("read direct", false, CacheMode.Direct), ("write direct", true, CacheMode.Direct),
            ("read cold through the page cache", false, CacheMode.Cold)];

    public override IReadOnlyList<int> Numbers => [6, 7];

    public override TimeSpan EstimateTime(FigureScale scale) =>
        Slices(scale, scale.DirectRequests.Count(IsShown) * scale.Depths.Count * Curves.Length * 2);

    public override async Task<PageSection> MeasureAsync(FigureContext context)
    {
        string path = context.SourceFile();
        var points = new List<CurvePoint>();
        foreach ((string curve, bool writes, CacheMode cache) in Curves)
        {
            foreach (int depth in context.Scale.Depths)
            {
                foreach (int request in context.Scale.DirectRequests.Where(IsShown))
                {
                    context.Progress($"figures 6 and 7: {curve}, depth {depth}, {ByteSize.Format(request)}");
                    var workload = new Workload(path, context.Scale.FileBytes, request)
                    {
                        WriteShare = writes ? 1 : 0,
                        Cache = cache,
                        Outstanding = depth,
                    };
                    if (await RequestPoint.MeasureAsync(context, curve, workload) is { } point)
                        points.Add(point);
                }
            }
        }
        return new FigureSections(context).Make(
            "Figures 6 and 7: several requests outstanding, by request size",
            "ReadAsync and WriteAsync of RandomAccess and SluiceHandle, so many at once over one sequence of offsets. The report striped "
                + "16 disks for these figures; here it is the one device. .NET's requests block threads of its pool, which grows slowly: "
                + "its rates at a depth are those of the threads that it has by then.",
            6, 7, points);
    }

    // Every other power of four: a figure of six depths on two sides has curves enough.
    private static bool IsShown(int requestBytes) => requestBytes >= 4 * ByteSize.KiB && requestBytes != 16 * ByteSize.KiB
        && requestBytes != 256 * ByteSize.KiB;
}
