using Sluice.Cli.Bench;

namespace Sluice.Cli.Programs.Tables;

/// <summary>One of the .NET 6 text's tables.</summary>
/// <param name="Text">What is measured, for who does not know the text.</param>
/// <param name="Parameters">Names of the columns between method and time.</param>
/// <param name="HasSpread">Median, fastest and slowest round in place of the mean, as the text has it for preallocation.</param>
internal sealed record MethodTable(
    string Heading, string Text, IReadOnlyList<string> Parameters, IReadOnlyList<TableCase> Cases, bool InNanoseconds = false,
    bool HasSpread = false);

/// <summary>One method with its arguments, which becomes two lines of a table: .NET's and Sluice's.</summary>
/// <param name="Arguments">In the order of <see cref="MethodTable.Parameters"/>.</param>
/// <param name="OperationsPerPass">Where the text divides the time of a pass, as for Length.</param>
internal sealed record TableCase(
    string Method, IReadOnlyList<string> Arguments, Func<BenchContext, Contest> Open, int OperationsPerPass = 1);
