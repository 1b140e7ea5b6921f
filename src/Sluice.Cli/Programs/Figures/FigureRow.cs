using Sluice.Cli.Bench;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Figures;

/// <summary>One request size of a curve, as a row whose operation is a byte.</summary>
/// <param name="Curve">The name of the curve, such as "read, asynchronous".</param>
/// <param name="Depth">The number of outstanding requests.</param>
internal sealed record FigureRow(string Curve, int RequestBytes, int Depth, Func<BenchContext, Contest> Open)
{
    public Row Row => new(Curve, $"{Curve}, {(Depth > 1 ? $"depth {Depth}, " : "")}{ByteSize.Format(RequestBytes)}", "", Open)
    {
        BytesPerOperation = static _ => 1,
    };

    /// <summary>
    /// The number of extents of each created file, by the name of the stream type; null if the figure does not count extents.
    /// </summary>
    public IReadOnlyDictionary<string, List<double>>? Extents { get; init; }
}

/// <summary>A measured request size of a curve.</summary>
internal sealed record FigurePoint(FigureRow Row, RowReport Report);
