using Sluice.Cli.Bench;

namespace Sluice.Cli.Programs.Advise;

/// <summary>Something that programs do with files, and the ways in which it can be done.</summary>
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

    /// <summary>Whether its ways write, so that each must wait until what the one before wrote is on the disk.</summary>
    public bool Writes { get; init; }

    /// <summary>More measurements that sentences and a table come from.</summary>
    public Func<BenchContext, Task<RequestGrid>>? Grid { get; init; }
}
