using Sluice.Cli.Bench;
using Sluice.Cli.Load;
using Sluice.Cli.Programs.Measuring;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Figures;

/// <summary>What a set of figures measures with.</summary>
/// <param name="Scratch">The run's own folder.</param>
/// <param name="Wanted">Figures to show.</param>
/// <param name="ClockHz">For clocks a byte; null where nothing tells it, and then CPU is in nanoseconds.</param>
internal sealed record FigureContext(
    string Scratch, FigureScale Scale, IReadOnlySet<int> Wanted, double? ClockHz, Action<string> Progress,
    CancellationToken CancellationToken)
{
    /// <summary>A file of random bytes on the disk, made once.</summary>
    public string SourceFile()
    {
        string path = Path.Combine(Scratch, "figures.dat");
        if (File.Exists(path) && new FileInfo(path).Length == Scale.FileBytes)
            return path;
        Progress("making the file that is read");
        using IoTarget target = IoTarget.Open(IoSide.Bcl, new TargetOptions(path, FileMode.Create, FileAccess.ReadWrite));
        FileMaker.Fill(target, 0, Scale.FileBytes, FileMaker.DefaultRequestSizeBytes, progress: null, CancellationToken);
        target.Flush();
        return path;
    }

    /// <summary>Measures one request size of one curve.</summary>
    /// <param name="sliceTime">The length of a turn; null: that of the scale.</param>
    public async Task<CurvePoint> MeasureAsync(
        string curve, int requestBytes, int depth, Contender dotNet, Contender sluice, TimeSpan? sliceTime = null)
    {
        Progress($"{curve}, {(depth > 1 ? $"depth {depth}, " : "")}{ByteSize.Format(requestBytes)}");
        var turns = new TurnRunner(sliceTime ?? Scale.SliceTime, Scale.Rounds, CancellationToken);
        IReadOnlyList<MeasuredRate> rates = await turns.MeasureAllAsync([dotNet, sluice]);
        return new CurvePoint(curve, requestBytes, depth, rates[0], rates[1]);
    }
}

/// <summary>One request size of one curve, on both sides; rates are bytes a second.</summary>
/// <param name="Curve">What the curve is of, such as "read, asynchronous".</param>
/// <param name="Depth">Requests outstanding.</param>
internal sealed record CurvePoint(string Curve, int RequestBytes, int Depth, MeasuredRate DotNet, MeasuredRate Sluice)
{
    /// <summary>The extents of the file that each side created; null if the figure does not ask for them.</summary>
    public (double DotNet, double Sluice)? Pieces { get; init; }
}
