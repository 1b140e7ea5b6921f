using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Handles;
using Sluice.Cli.Bench.Streams;
using Sluice.Cli.Load;
using Sluice.Cli.Programs.Frag;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Programs.Figures;

/// <summary>Figures of MSR-TR-2004-136 that use the same measurements.</summary>
/// <param name="RateFigure">The number of the figure with rates.</param>
/// <param name="CpuFigure">The number of the figure with CPU time; null if there is none.</param>
/// <param name="Seconds">Returns the expected duration in seconds, which is printed before the measurement.</param>
/// <param name="Rows">Returns the rows in the order in which they are measured.</param>
internal sealed record FigureSet(
    int RateFigure, int? CpuFigure, string Heading, Func<FigureScale, string> Text, Func<FigureScale, double> Seconds,
    Func<FigureScale, IEnumerable<FigureRow>> Rows)
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
            scale => Turns(scale, scale.StreamRequests.Count * 8), StreamRowsOf),
        new(5, 4, "Figures 4 and 5: past the page cache, by request size",
            _ => "RandomAccess and SluiceHandle on files opened for direct I/O, synchronous, sequential, one request at a time; writes go "
                + "over blocks that exist. .NET cannot open such a file: Sluice opens it, and .NET's calls run on that descriptor.",
            scale => Turns(scale, scale.DirectRequests.Count * 4), scale =>
                from writes in ReadsAndWrites
                from request in scale.DirectRequests
                select OnOpenFile(writes ? "write" : "read", request, null, writes, FileCaching.Direct)),
        new(6, 7, "Figures 6 and 7: several requests outstanding, by request size",
            _ => "ReadAsync and WriteAsync of RandomAccess and SluiceHandle, so many at once over one sequence of offsets. The report "
                + "striped 16 disks for these figures; here it is the one device. .NET's requests block threads of its pool, which grows slowly: "
                + "its rates at a depth are those of the threads that it has by then.",
            scale => Turns(scale, scale.DirectRequests.Count(IsShown) * scale.Depths.Count * DepthCurves.Length * 2),
            scale =>
                from c in DepthCurves
                from depth in scale.Depths
                from request in scale.DirectRequests.Where(IsShown)
                select OnOpenFile(c.Curve, request, depth, c.Writes, c.Caching)),
        new(8, null, "Figure 8: making a file, by request size",
            scale => $"A file of {ByteSize.Format(scale.CreatedFileBytes)} is made and flushed to the disk by FileStream and by "
                + $"SluiceStream, with and without PreallocationSize, on ext4 volumes of {ByteSize.Format(scale.VolumeBytes)} in "
                + "image files: one fresh, one filled to 99 % and emptied at random twice (as sluice frag does). Extents: in how many the "
                + "file lay on average.",
            // The factor 2 is for the aging of the volume, which takes about as long as the measurement.
            scale => (scale.CreatedFileBytes * scale.CreationRequests.Count * 8 * (scale.Files.Rounds + 1) / (double)ByteSize.GiB * 2)
                + (scale.VolumeBytes / (double)ByteSize.MiB / 12), CreationRows)
        {
            SpaceBytes = scale => 2 * scale.VolumeBytes,
            // The time is a limit that is never reached, because a slice ends when the file is complete.
            SliceTime = static _ => TimeSpan.FromMinutes(10),
        },
    ];

    public IEnumerable<int> Numbers => CpuFigure is { } cpu ? [RateFigure, cpu] : [RateFigure];

    /// <summary>Returns the disk space in addition to the file that is read, in bytes.</summary>
    public Func<FigureScale, long> SpaceBytes { get; init; } = scale => 2 * scale.Files.SequentialFileBytes;

    public Func<BenchScale, TimeSpan> SliceTime { get; init; } = static scale => scale.StreamSliceTime;

    public async Task<PageSection> MeasureAsync(FigureScale scale, RowRunner runner, FigureSections sections, Action<string> progress)
    {
        var suite = new Suite("figures", 0, SliceTime, []);
        var points = new List<FigurePoint>();
        var leftOut = new HashSet<string>();
        foreach (FigureRow row in Rows(scale))
        {
            progress(row.Row.Name);
            try
            {
                points.Add(new FigurePoint(row, (await runner.RunAsync(suite, row.Row))[0]));
            }
            catch (RowSkippedException e)
            {
                leftOut.Add(e.Message);
            }
        }
        return sections.Make(this, points, leftOut);
    }

    private static double Turns(FigureScale scale, int contenders) =>
        (scale.Files.StreamSliceTime * contenders * (scale.Files.Rounds + 1)).TotalSeconds;

    // The figure with six depths has only some of the request sizes, so that it has few enough points.
    private static bool IsShown(int requestBytes) => requestBytes >= 4 * ByteSize.KiB && requestBytes != 16 * ByteSize.KiB
        && requestBytes != 256 * ByteSize.KiB;

    private static IEnumerable<FigureRow> StreamRowsOf(FigureScale scale) =>
        from writes in ReadsAndWrites
        from asynchronous in ReadsAndWrites
        from request in scale.StreamRequests
        select new FigureRow(
            $"{(writes ? "write" : "read")}, {(asynchronous ? "asynchronous" : "synchronous")}", request, 1, context => StreamRows.OpenTimed(
                writes
                    ? StreamOpening.Writing(context.ScratchFile("figures-written.dat"), scale.Files.SequentialFileBytes, asynchronous)
                    : StreamOpening.Reading(context.SequentialFile, scale.Files.SequentialFileBytes, asynchronous), request));

    /// <summary>Creates a row of requests on open files: asynchronous ones with a depth, synchronous ones without.</summary>
    private static FigureRow OnOpenFile(string curve, int request, int? depth, bool writes, FileCaching caching) => new(
        curve, request, depth ?? 1, context =>
        {
            var options = new TargetOptions(context.SequentialFile, FileMode.Open, writes ? FileAccess.ReadWrite : FileAccess.Read)
            {
                Asynchronous = depth is not null,
                Caching = caching,
            };
            DirectIo.Require(options.Path, caching);
            using (var opened = new IoTarget(IoSide.Bcl, options))
            {
                if (request % opened.RequestAlignmentBytes != 0)
                    throw new RowSkippedException($"{ByteSize.Format(request)} is no whole number of the file system's blocks");
            }
            return HandleRows.Pair(
                options, side => Loops.InOrder(side, depth ?? 1, request, context.Scale.SequentialFileBytes, writes), depth ?? 1,
                caching == FileCaching.Cached ? side => PageCache.Drop(side.SafeFileHandle) : null);
        });

    private static IEnumerable<FigureRow> CreationRows(FigureScale scale)
    {
        Lazy<string>? volumes = null;
        return
            from volume in (string[])["fresh", "aged"]
            from preallocated in ReadsAndWrites
            from request in scale.CreationRequests
            select Creation(
                volume, preallocated, request, scale.CreatedFileBytes,
                // The volumes are created once. If that fails, later rows get the same exception.
                context => (volumes ??= new Lazy<string>(() => MakeVolumes(context, scale.VolumeBytes))).Value);
    }

    private static FigureRow Creation(
        string volume, bool preallocated, int request, long fileBytes, Func<BenchContext, string> folderOfVolumes)
    {
        var extents = new Dictionary<string, List<double>>(StringComparer.Ordinal)
        {
            [FileStreamSide.Name] = [],
            [SluiceStreamSide.Name] = [],
        };
        return new FigureRow($"{volume} volume, {(preallocated ? "preallocated" : "grown")}", request, 1, context =>
        {
            var opening = new StreamOpening(
                Path.Combine(folderOfVolumes(context), volume, "figure.dat"), FileMode.Create, FileAccess.Write, fileBytes)
            {
                PreallocationSizeBytes = preallocated ? fileBytes : 0,
            };
            return StreamRows.OpenTimed(opening, request).Checked(_ => Count(SluiceStreamSide.Name), _ => Count(FileStreamSide.Name));

            void Count(string side)
            {
                using SluiceHandle file = SluiceHandle.Open(opening.Path);
                extents[side].Add(file.GetExtents().Count);
            }
        })
        {
            Extents = extents,
        };
    }

    /// <returns>The folder that contains both volumes.</returns>
    private static string MakeVolumes(BenchContext context, long sizeBytes)
    {
        if (ImageVolume.Refusal is { } refusal)
            throw new RowSkippedException(refusal);
        string folder = context.KeptPath("");
        try
        {
            ImageVolume.Make(folder, "fresh", sizeBytes, context.CancellationToken);
            Age(ImageVolume.Make(folder, "aged", sizeBytes, context.CancellationToken), context.CancellationToken);
            return folder;
        }
        catch (IOException e)
        {
            // If Ctrl-C also ended mkfs or mount, the run is interrupted.
            context.CancellationToken.ThrowIfCancellationRequested();
            throw new RowSkippedException(ErrorText.Of(e), e);
        }
    }

    private static void Age(string volume, CancellationToken cancellationToken)
    {
        var settings = new FragSettings
        {
            // The files are small enough for thousands of holes, and large enough for a volume in use.
            MinSizeBytes = 64 * ByteSize.KiB,
            MaxSizeBytes = ByteSize.MiB,
            FilesPerCycle = 100_000,
            Cycles = 2,
            KeepPercent = 60,
            FillPercent = 99,
            LeaveBytes = 0,
            Seed = AgeingSeed,
        };
        // The folder is not removed from the volume, because the volume is removed as a whole.
        using OwnedFolder folder = FragFolder.Create(volume);
        var run = new FragRun(settings, folder, canMap: false, cancellationToken);
        run.Execute(new FragPlan(settings, settings.BudgetBytes(VolumeSpace.Of(volume))).Steps());
        folder.FlushToDisk();
    }
}
