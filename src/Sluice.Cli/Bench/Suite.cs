namespace Sluice.Cli.Bench;

/// <summary>A named list of rows. A new suite is a class with such a list, added to <see cref="All"/>.</summary>
internal sealed record Suite(string Name, string Description, IReadOnlyList<Row> Rows)
{
    public static IReadOnlyList<Suite> All { get; } = [HandleSuite.Create()];
}
