using Sluice.Cli.Bench;

namespace Sluice.Cli.Programs.Advise;

/// <summary>A task of programs that use files, with several approaches.</summary>
/// <param name="Wish">What the user has in mind, as in "read a large file once".</param>
/// <param name="Unit">Of rates: MiB/s where ways count bytes, else what they count a second.</param>
/// <param name="Open">Returns the approaches; the first is the one of most programs today.</param>
internal sealed record AdviceTopic(string Heading, string Wish, string Unit, Func<BenchContext, IReadOnlyList<Approach>> Open)
{
    public const string BytesUnit = "MiB/s";

    public bool CountsBytes => Unit == BytesUnit;

    /// <summary>True if the approaches write: each then waits until the data of the preceding one is on the disk.</summary>
    public bool Writes { get; init; }
}
