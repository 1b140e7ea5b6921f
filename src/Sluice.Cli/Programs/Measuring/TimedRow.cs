using Sluice.Cli.Bench;
using Sluice.Cli.Load;

namespace Sluice.Cli.Programs.Measuring;

/// <summary>A row of `methods`, `examples` or `ops`: one way of doing a piece of work, which is timed and checked.</summary>
/// <param name="Group">The name of the work. The ways of a group are compared with each other.</param>
/// <param name="Name">The name of the way, which is unique in its group.</param>
/// <param name="Bytes">The number of bytes that the work reads or writes.</param>
/// <param name="RunAsync">The timed work. It returns a value for <paramref name="Check"/>.</param>
/// <param name="Check">Describes what is wrong with the result; returns null if it is right. It is not timed.</param>
internal sealed record TimedRow(
    string Group, string Name, IoSide Side, long Bytes, Func<Task<object?>> RunAsync, Func<object?, string?> Check)
{
    public string Id => $"{Group}: {Name}";

    /// <summary>The path of the file that the work creates, and that is deleted before each run; null if it creates none.</summary>
    public string? NewFile { get; init; }

    public bool Writes => NewFile is not null;

    /// <summary>Opens the file before the measured time; it is closed after this time. Null if the work opens its file.</summary>
    public Func<IDisposable>? Open { get; init; }
}

/// <summary>The times of a row. It does not refer to the row, whose work keeps the data of its size in memory.</summary>
/// <param name="Wrong">A description of a wrong result; null if all results were right.</param>
internal sealed record TimedResult(string Group, string Name, IoSide Side, long Bytes, ContenderReport Rate, string? Wrong);
