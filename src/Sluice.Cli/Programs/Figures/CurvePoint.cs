using Sluice.Cli.Programs.Measuring;

namespace Sluice.Cli.Programs.Figures;

/// <summary>One request size of one curve, on both sides; rates are bytes a second.</summary>
/// <param name="Curve">What the curve is of, such as "read, asynchronous".</param>
/// <param name="Depth">Requests outstanding.</param>
internal sealed record CurvePoint(string Curve, int RequestBytes, int Depth, MeasuredRate DotNet, MeasuredRate Sluice)
{
    /// <summary>Of a created file, .NET's and Sluice's extents; null where it is not asked.</summary>
    public (double DotNet, double Sluice)? Pieces { get; init; }
}
