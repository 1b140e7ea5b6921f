using Sluice.Cli.Load;
using Sluice.Cli.Programs.Measuring;

namespace Sluice.Cli.Programs.Figures;

/// <summary>What a set of figures measures with.</summary>
/// <param name="Directory">The folder that the user named; volumes lie in it.</param>
/// <param name="Scratch">The run's own folder there.</param>
/// <param name="Wanted">Figures to show.</param>
/// <param name="ClockHz">For clocks a byte; null where nothing tells it, and then CPU is in nanoseconds.</param>
internal sealed record FigureContext(
    string Directory, string Scratch, FigureScale Scale, IReadOnlySet<int> Wanted, double? ClockHz, Action<string> Progress,
    Action<string> TellAtEnd, CancellationToken CancellationToken)
{
    public PointRunner Points { get; } = new(Scale.SliceTime, Scale.Rounds, CancellationToken);

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
}
