using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Streams;
using Sluice.Cli.Programs.Frag;
using Sluice.Cli.Programs.Measuring;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Figures;

/// <summary>Figure 8: making a file, preallocated or not, on a fresh and on an aged volume of the tool's own.</summary>
internal sealed class CreationFigure : FigureSet
{
    private const int Seed = 137;

    public override IReadOnlyList<int> Numbers => [8];

    // Ageing takes about as long as the measurement.
    public override TimeSpan EstimateTime(FigureScale scale) =>
        TimeSpan.FromSeconds(scale.CreatedFileBytes * scale.CreationRequests.Count * 8 * (scale.Rounds + 1) / (double)ByteSize.GiB * 2)
        + TimeSpan.FromSeconds(scale.VolumeBytes / (double)ByteSize.MiB / 12);

    public override long SpaceBytes(FigureScale scale) => 2 * scale.VolumeBytes;

    public override async Task<PageSection> MeasureAsync(FigureContext context)
    {
        if (VolumeFolder.Refusal is { } refusal)
            return LeftOut(refusal);
        using VolumeFolder folder = VolumeFolder.Create(context.Directory, context.TellAtEnd);
        string fresh;
        string aged;
        try
        {
            context.Progress("figure 8: making two volumes");
            fresh = folder.MakeVolume("fresh", context.Scale.VolumeBytes, context.CancellationToken);
            aged = folder.MakeVolume("aged", context.Scale.VolumeBytes, context.CancellationToken);
        }
        catch (IOException e)
        {
            // What a terminal sends on Ctrl-C ends mkfs and mount too.
            context.CancellationToken.ThrowIfCancellationRequested();
            return LeftOut(ErrorText.Of(e));
        }
        Age(aged, context);
        var points = new List<CurvePoint>();
        foreach ((string name, string volume) in ((string, string)[])[("fresh volume", fresh), ("aged volume", aged)])
        {
            foreach (bool preallocated in (bool[])[false, true])
            {
                foreach (int request in context.Scale.CreationRequests)
                {
                    string curve = $"{name}, {(preallocated ? "preallocated" : "grown")}";
                    context.Progress($"figure 8: {curve}, {ByteSize.Format(request)}");
                    points.Add(await MeasureAsync(context, curve, volume, request, preallocated));
                }
            }
        }
        return new FigureSections(context).Make(
            "Figure 8: making a file, by request size",
            $"A file of {ByteSize.Format(context.Scale.CreatedFileBytes)} is made and flushed to the disk by FileStream and by "
                + $"SluiceStream, with and without PreallocationSize, on ext4 volumes of {ByteSize.Format(context.Scale.VolumeBytes)} in "
                + $"image files: one fresh, one filled to 99 % and emptied at random twice (as sluice frag does). Extents: in how many the "
                + $"file lay on average.",
            8, null, points);
    }

    private static PageSection LeftOut(string reason) => new()
    {
        Heading = "Figure 8: making a file, by request size",
        Text = $"Left out: {reason}.",
    };

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
            Seed = Seed,
        };
        // It stays on the volume, which goes as a whole.
        using FragFolder folder = FragFolder.Create(volume);
        var run = new FragRun(settings, folder, canMap: false, context.CancellationToken);
        context.Progress("figure 8: ageing a volume");
        run.Execute(new FragPlan(settings, settings.BudgetBytes(VolumeSpace.Of(volume))).Steps());
        folder.FlushToDisk();
    }

    private static async Task<CurvePoint> MeasureAsync(FigureContext context, string curve, string volume, int request, bool preallocated)
    {
        var pieces = new Dictionary<string, List<double>>(StringComparer.Ordinal);
        var opening = new StreamOpening(Path.Combine(volume, "figure.dat"), FileMode.Create, FileAccess.Write,
            context.Scale.CreatedFileBytes)
        {
            PreallocationSizeBytes = preallocated ? context.Scale.CreatedFileBytes : 0,
        };
        // Every round makes the whole file: a slice ends with the file, not with its time.
        var points = new PointRunner(TimeSpan.FromMinutes(10), context.Scale.Rounds, context.CancellationToken);
        IReadOnlyList<MeasuredRate> readings = await points.MeasureAsync(
            [Counted(TimedPasses.Writing<FileStreamSide>(opening, request)),
                Counted(TimedPasses.Writing<SluiceStreamSide>(opening, request))]);
        File.Delete(opening.Path);
        return new CurvePoint(curve, request, 1, readings[0], readings[1])
        {
            Pieces = (pieces[FileStreamSide.Name].Average(), pieces[SluiceStreamSide.Name].Average()),
        };

        Contender Counted(Contender side) => side with
        {
            RunAsync = async slice =>
            {
                await side.RunAsync(slice);
                if (!pieces.TryGetValue(side.Name, out List<double>? counts))
                    pieces.Add(side.Name, counts = []);
                using SluiceHandle file = SluiceHandle.Open(opening.Path);
                counts.Add(file.GetExtents().Count);
            },
        };
    }
}
