using Sluice.Cli.Bench;

namespace Sluice.Cli.Programs.Tables;

/// <summary>A table of the .NET 6 blog post. Each row becomes two lines: one for .NET and one for Sluice.</summary>
/// <param name="Text">A description of the measurement for readers who do not know the blog post.</param>
/// <param name="Parameters">The names of the columns for <see cref="Row.Arguments"/>, between method and time.</param>
/// <param name="HasSpread">True to show the median, the fastest and the slowest round, as the blog post does for preallocation.</param>
/// <param name="OperationsPerPass">The number by which the time of a pass is divided, as the blog post does for Length.</param>
internal sealed record MethodTable(
    string Heading, string Text, IReadOnlyList<string> Parameters, IReadOnlyList<Row> Rows, bool InNanoseconds = false,
    bool HasSpread = false, int OperationsPerPass = 1);
