using Sluice.Cli.Bench;

namespace Sluice.Cli.Programs.Advise;

/// <summary>A task of programs that use files, with several approaches to it.</summary>
/// <param name="Wish">The intention of the user, as in "read a large file once".</param>
/// <param name="Unit">The unit of the rates: MiB/s if the approaches count bytes, otherwise the name of what they count per second.</param>
/// <param name="Open">Returns the approaches. The first is the one that most programs use today.</param>
internal sealed record AdviceTopic(string Heading, string Wish, string Unit, Func<BenchContext, IReadOnlyList<Approach>> Open)
{
    public const string BytesUnit = "MiB/s";

    public bool CountsBytes => Unit == BytesUnit;

    /// <summary>True if the approaches write: each then waits until the data of the preceding one is on the disk.</summary>
    public bool Writes { get; init; }
}
