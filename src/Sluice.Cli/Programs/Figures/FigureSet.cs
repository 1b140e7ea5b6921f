using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Streams;
using Sluice.Cli.Load;
using Sluice.Cli.Programs.Frag;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Programs.Figures;

/// <summary>Figures of the report that come from the same measurements.</summary>
/// <param name="RateFigure">The number of the one with rates in MSR-TR-2004-136.</param>
/// <param name="CpuFigure">The number of the one with clocks, if there is one.</param>
/// <param name="Seconds">How long it takes, for the estimate that is printed beforehand.</param>
/// <param name="MeasurePoints">Measures the points, or tells why the figures are left out.</param>
internal sealed record FigureSet(
    int RateFigure, int? CpuFigure, string Heading, Func<FigureScale, string> Text, Func<FigureScale, double> Seconds,
    Func<FigureContext, Task<(IReadOnlyList<CurvePoint> Points, string? LeftOut)>> MeasurePoints)
{
    private const int AgeingSeed = 137;

    private static readonly bool[] ReadsAndWrites = [false, true];

    private static readonly (string Curve, bool Writes, FileCaching Caching)[] DepthCurves =
    [
        ("read direct", false, FileCaching.Direct), ("write direct", true, FileCaching.Direct),
        ("read cold through the page cache", false, FileCaching.Cached),
    ];

    public static IReadOnlyList<FigureSet> All { get; } =
    [
        new(2, 3, "Figures 2 and 3: through the page cache, by request size",
            _ => "FileStream and SluiceStream with their default buffers. Reads are cold: the file's pages are dropped before each pass. "
                + "Writes make a new file, and are on the disk at the end of the time counted. A request of 1 B is ReadByte or WriteByte.",
            scale => Turns(scale, scale.StreamRequests.Count * 8), MeasureStreamsAsync),
        new(5, 4, "Figures 4 and 5: past the page cache, by request size",
            _ => "RandomAccess and SluiceHandle on files opened for direct I/O, synchronous, sequential, one request at a time; writes go "
                + "over blocks that exist. .NET cannot open such a file: Sluice opens it, and .NET's calls run on that descriptor.",
            scale => Turns(scale, scale.DirectRequests.Count * 4), context => MeasureTargetsAsync(context,
                from writes in ReadsAndWrites
                from request in context.Scale.DirectRequests
                select (writes ? "write" : "read", request, (int?)null, writes, FileCaching.Direct))),
        new(6, 7, "Figures 6 and 7: several requests outstanding, by request size",
            _ => "ReadAsync and WriteAsync of RandomAccess and SluiceHandle, so many at once over one sequence of offsets. The report "
                + "striped 16 disks for these figures; here it is the one device. .NET's requests block threads of its pool, which grows slowly: "
                + "its rates at a depth are those of the threads that it has by then.",
            scale => Turns(scale, scale.DirectRequests.Count(IsShown) * scale.Depths.Count * DepthCurves.Length * 2),
            context => MeasureTargetsAsync(context,
                from c in DepthCurves
                from depth in context.Scale.Depths
                from request in context.Scale.DirectRequests.Where(IsShown)
                select (c.Curve, request, (int?)depth, c.Writes, c.Caching))),
        new(8, null, "Figure 8: making a file, by request size",
            scale => $"A file of {ByteSize.Format(scale.CreatedFileBytes)} is made and flushed to the disk by FileStream and by "
                + $"SluiceStream, with and without PreallocationSize, on ext4 volumes of {ByteSize.Format(scale.VolumeBytes)} in "
                + "image files: one fresh, one filled to 99 % and emptied at random twice (as sluice frag does). Extents: in how many the "
                + "file lay on average.",
            // Ageing takes about as long as the measurement.
            scale => (scale.CreatedFileBytes * scale.CreationRequests.Count * 8 * (scale.Rounds + 1) / (double)ByteSize.GiB * 2)
                + (scale.VolumeBytes / (double)ByteSize.MiB / 12), MeasureCreationAsync)
        {
            SpaceBytes = scale => 2 * scale.VolumeBytes,
        },
    ];

    public IEnumerable<int> Numbers => CpuFigure is { } cpu ? [RateFigure, cpu] : [RateFigure];

    /// <summary>Space beside the file that is read.</summary>
    public Func<FigureScale, long> SpaceBytes { get; init; } = scale => 2 * scale.FileBytes;

    public async Task<PageSection> MeasureAsync(FigureContext context)
    {
        (IReadOnlyList<CurvePoint> points, string? leftOut) = await MeasurePoints(context);
        return leftOut is null ? new FigureSections(context).Make(this, points)
            : new PageSection { Heading = Heading, Text = $"Left out: {leftOut}." };
    }

    private static double Turns(FigureScale scale, int contenders) => (scale.SliceTime * contenders * (scale.Rounds + 1)).TotalSeconds;

    // Every other power of four: a figure of six depths on two sides has curves enough.
    private static bool IsShown(int requestBytes) => requestBytes >= 4 * ByteSize.KiB && requestBytes != 16 * ByteSize.KiB
        && requestBytes != 256 * ByteSize.KiB;

    private static async Task<(IReadOnlyList<CurvePoint> Points, string? LeftOut)> MeasureStreamsAsync(FigureContext context)
    {
        var points = new List<CurvePoint>();
        foreach ((bool writes, bool asynchronous, int request) in
            from writes in ReadsAndWrites
            from asynchronous in ReadsAndWrites
            from request in context.Scale.StreamRequests
            select (writes, asynchronous, request))
        {
            StreamOpening opening = writes
                ? StreamOpening.Writing(Path.Combine(context.Scratch, "figures-written.dat"), context.Scale.FileBytes, asynchronous)
                : StreamOpening.Reading(context.SourceFile(), context.Scale.FileBytes, asynchronous);
            points.Add(await context.MeasureAsync(
                $"{(writes ? "write" : "read")}, {(asynchronous ? "asynchronous" : "synchronous")}", request, 1,
                StreamPasses.Timed<FileStreamSide>(opening, request), StreamPasses.Timed<SluiceStreamSide>(opening, request)));
            if (writes)
                File.Delete(opening.Path);
        }
        return (points, null);
    }

    /// <summary>Requests one after the other on open files; without a depth synchronous ones.</summary>
    private static async Task<(IReadOnlyList<CurvePoint> Points, string? LeftOut)> MeasureTargetsAsync(
        FigureContext context, IEnumerable<(string Curve, int Request, int? Depth, bool Writes, FileCaching Caching)> measured)
    {
        string path = context.SourceFile();
        if (DirectIo.Refusal(path) is { } refusal)
            return ([], refusal);
        var points = new List<CurvePoint>();
        foreach ((string curve, int request, int? depth, bool writes, FileCaching caching) in measured)
        {
            var options = new TargetOptions(path, FileMode.Open, writes ? FileAccess.ReadWrite : FileAccess.Read)
            {
                Asynchronous = depth is not null,
                Caching = caching,
            };
            using IoTarget dotNet = IoTarget.Open(IoSide.Bcl, options);
            // Not a whole number of the file system's blocks.
            if (request % dotNet.RequestAlignmentBytes != 0)
                continue;
            using IoTarget sluice = IoTarget.Open(IoSide.Sluice, options);
            points.Add(await context.MeasureAsync(curve, request, depth ?? 1, Side(dotNet), Side(sluice)));

            Contender Side(IoTarget target) => new(
                target.Side, Loops.InOrder(target, depth ?? 1, request, context.Scale.FileBytes, writes))
            {
                Loops = depth ?? 1,
                MeasuresAllocations = true,
                Prepare = caching == FileCaching.Cached ? () => PageCache.Drop(target.SafeFileHandle) : null,
            };
        }
        return (points, null);
    }

    private static async Task<(IReadOnlyList<CurvePoint> Points, string? LeftOut)> MeasureCreationAsync(FigureContext context)
    {
        if (ImageVolume.Refusal is { } refusal)
            return ([], refusal);
        string fresh;
        string aged;
        try
        {
            context.Progress("making two volumes");
            fresh = ImageVolume.Make(context.Scratch, "fresh", context.Scale.VolumeBytes, context.CancellationToken);
            aged = ImageVolume.Make(context.Scratch, "aged", context.Scale.VolumeBytes, context.CancellationToken);
        }
        catch (IOException e)
        {
            // Ctrl-C in a terminal ends mkfs and mount too.
            context.CancellationToken.ThrowIfCancellationRequested();
            return ([], ErrorText.Of(e));
        }
        Age(aged, context);
        var points = new List<CurvePoint>();
        foreach ((string volume, bool preallocated, int request) in
            from volume in new[] { fresh, aged }
            from preallocated in ReadsAndWrites
            from request in context.Scale.CreationRequests
            select (volume, preallocated, request))
        {
            string curve = $"{Path.GetFileName(volume)} volume, {(preallocated ? "preallocated" : "grown")}";
            points.Add(await MeasureCreationAsync(context, curve, volume, request, preallocated));
        }
        return (points, null);
    }

    private static void Age(string volume, FigureContext context)
    {
        var settings = new FragSettings
        {
            // Small enough for thousands of holes, large enough for a volume that one would still use.
            MinSizeBytes = 64 * ByteSize.KiB,
            MaxSizeBytes = ByteSize.MiB,
            FilesPerCycle = 100_000,
            Cycles = 2,
            KeepPercent = 60,
            FillPercent = 99,
            LeaveBytes = 0,
            Seed = AgeingSeed,
        };
        // It stays on the volume, which goes as a whole.
        using FragFolder folder = FragFolder.Create(volume);
        var run = new FragRun(settings, folder, canMap: false, context.CancellationToken);
        context.Progress("ageing a volume");
        run.Execute(new FragPlan(settings, settings.BudgetBytes(VolumeSpace.Of(volume))).Steps());
        folder.FlushToDisk();
    }

    private static async Task<CurvePoint> MeasureCreationAsync(
        FigureContext context, string curve, string volume, int request, bool preallocated)
    {
        var opening = new StreamOpening(
            Path.Combine(volume, "figure.dat"), FileMode.Create, FileAccess.Write, context.Scale.CreatedFileBytes)
        {
            PreallocationSizeBytes = preallocated ? context.Scale.CreatedFileBytes : 0,
        };
        var pieces = new Dictionary<string, List<double>>(StringComparer.Ordinal)
        {
            [FileStreamSide.Name] = [],
            [SluiceStreamSide.Name] = [],
        };
        // Every round makes the whole file: a turn ends with the file, not with its time.
        CurvePoint point = await context.MeasureAsync(
            curve, request, 1, Counted(StreamPasses.Timed<FileStreamSide>(opening, request)),
            Counted(StreamPasses.Timed<SluiceStreamSide>(opening, request)), TimeSpan.FromMinutes(10));
        File.Delete(opening.Path);
        return point with { Pieces = (pieces[FileStreamSide.Name].Average(), pieces[SluiceStreamSide.Name].Average()) };

        Contender Counted(Contender side) => side with
        {
            Verify = _ =>
            {
                using SluiceHandle file = SluiceHandle.Open(opening.Path);
                pieces[side.Name].Add(file.GetExtents().Count);
            },
        };
    }
}
