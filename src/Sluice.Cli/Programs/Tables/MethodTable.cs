using Sluice.Cli.Bench;

namespace Sluice.Cli.Programs.Tables;

/// <summary>One of the .NET 6 text's tables. Each row becomes two lines: .NET's and Sluice's.</summary>
/// <param name="Text">What is measured, for who does not know the text.</param>
/// <param name="Parameters">Names of the columns between method and time, which rows have as <see cref="Row.Arguments"/>.</param>
/// <param name="HasSpread">Median, fastest and slowest round in place of the mean, as the text has it for preallocation.</param>
/// <param name="OperationsPerPass">Where the text divides the time of a pass, as for Length.</param>
internal sealed record MethodTable(
    string Heading, string Text, IReadOnlyList<string> Parameters, IReadOnlyList<Row> Rows, bool InNanoseconds = false,
    bool HasSpread = false, int OperationsPerPass = 1);
