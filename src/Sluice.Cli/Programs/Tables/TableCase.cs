using Sluice.Cli.Bench;

namespace Sluice.Cli.Programs.Tables;

/// <summary>One method with its arguments, which becomes two lines of a table: .NET's and Sluice's.</summary>
/// <param name="Arguments">In the order of <see cref="MethodTable.Parameters"/>.</param>
/// <param name="OperationsPerPass">Where the text divides the time of a pass, as for Length.</param>
internal sealed record TableCase(
    string Method, IReadOnlyList<string> Arguments, Func<BenchContext, Contest> Open, int OperationsPerPass = 1);
