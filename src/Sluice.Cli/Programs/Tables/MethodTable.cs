namespace Sluice.Cli.Programs.Tables;

/// <summary>One of the .NET 6 text's tables.</summary>
/// <param name="Text">What is measured, for who does not know the text.</param>
/// <param name="Parameters">Names of the columns between method and time.</param>
/// <param name="HasSpread">Median, fastest and slowest round in place of the mean, as the text has it for preallocation.</param>
internal sealed record MethodTable(
    string Heading, string Text, IReadOnlyList<string> Parameters, IReadOnlyList<TableCase> Cases, bool InNanoseconds = false, bool HasSpread = false);
