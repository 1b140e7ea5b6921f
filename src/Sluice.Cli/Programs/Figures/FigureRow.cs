using Sluice.Cli.Bench;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Figures;

/// <summary>One request size of one curve, as a row whose operation is a byte.</summary>
/// <param name="Curve">What the curve is of, such as "read, asynchronous".</param>
/// <param name="Depth">Requests outstanding.</param>
internal sealed record FigureRow(string Curve, int RequestBytes, int Depth, Func<BenchContext, Contest> Open)
{
    public Row Row => new(Curve, $"{Curve}, {(Depth > 1 ? $"depth {Depth}, " : "")}{ByteSize.Format(RequestBytes)}", "", Open)
    {
        BytesPerOperation = static _ => 1,
    };

    /// <summary>The extents of each file that a side has created, by the side's name; null if the figure does not ask for them.</summary>
    public IReadOnlyDictionary<string, List<double>>? Extents { get; init; }
}
