using Sluice.Cli.Bench;

namespace Sluice.Cli.Programs.Advise;

/// <summary>A task of programs that use files, with several approaches.</summary>
/// <param name="Wish">What the user has in mind, as in "read a large file once".</param>
/// <param name="Unit">Of rates: MiB/s where ways count bytes, else what they count a second.</param>
/// <param name="BaselineKey">The way of most programs today.</param>
/// <param name="Remarks">Sentences about single questions, such as whether to preallocate.</param>
internal sealed record AdviceTopic(
    string Heading, string Wish, string Unit, string BaselineKey, Func<BenchContext, IReadOnlyList<Approach>> Open,
    Func<Comparison, IEnumerable<string>> Remarks)
{
    public const string BytesUnit = "MiB/s";

    public bool CountsBytes => Unit == BytesUnit;

    /// <summary>True if the approaches write: each then waits until the data of the preceding one is on the disk.</summary>
    public bool Writes { get; init; }

    /// <summary>Additional measurements for the remarks and a table.</summary>
    public Func<BenchContext, Task<RequestGrid>>? Grid { get; init; }
}
