using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Programs.Figures;

/// <summary>Figures of the report that come from the same measurements.</summary>
internal abstract class FigureSet
{
    /// <summary>Of MSR-TR-2004-136: the one with rates, and the one with clocks if there is one.</summary>
    public abstract IReadOnlyList<int> Numbers { get; }

    /// <summary>For the time budget that is printed beforehand.</summary>
    public abstract TimeSpan EstimateTime(FigureScale scale);

    /// <summary>Beside the run's folder.</summary>
    public virtual long SpaceBytes(FigureScale scale) => 2 * scale.FileBytes;

    public abstract Task<PageSection> MeasureAsync(FigureContext context);

    protected static TimeSpan Slices(FigureScale scale, int contenders) => scale.SliceTime * contenders * (scale.Rounds + 1);
}
