using Sluice.Log.Segments;

namespace Sluice.Log.Tests;

/// <summary>The rules for the end of a segment, row by row: rule 3 of "Contents of the log" in docs/log-format.md.</summary>
[Trait("Runs", "once")]
public sealed class SegmentEndTests
{
    private const long Last = 10;
    private const long End = 1000;

    [Theory]
    [InlineData(11, "zeros", "", "NextSegment")]
    [InlineData(11, "bad", "restarted", "NextSegment")]
    [InlineData(11, "footer", "", "NextSegment")]
    [InlineData(10, "zeros", "", "WrongOrder")]
    [InlineData(12, "footer", "restarted", "Missing")]
    [InlineData(12, "zeros", "removed restarted", "Missing")]
    [InlineData(12, "bad", "removed", "Damaged")]
    [InlineData(12, "zeros", "restarted", "NeverSynced")]
    [InlineData(12, "bad", "restarted", "NeverSynced")]
    [InlineData(12, "bad", "", "Damaged")]
    [InlineData(12, "zeros", "restarted later-footer", "Damaged")]
    [InlineData(12, "zeros", "restarted footer-here", "Damaged")]
    [InlineData(12, "bad", "restarted footer-further-on", "Damaged")]
    [InlineData(12, "zeros", "restarted durable", "Damaged")]
    [InlineData(null, "zeros", "footer-further-on", "Damaged")]
    [InlineData(null, "bad", "restarted footer-further-on", "Damaged")]
    [InlineData(null, "zeros", "restarted durable", "Damaged")]
    [InlineData(null, "footer", "durable", "Damaged")]
    [InlineData(null, "bad", "durable", "Damaged")]
    [InlineData(null, "bad", "frames-follow", "Damaged")]
    [InlineData(null, "zeros", "frames-follow", "Damaged")]
    [InlineData(null, "bad", "restarted frames-follow", "TornTail")]
    [InlineData(null, "bad", "", "TornTail")]
    [InlineData(null, "zeros", "restarted frames-follow", "EndOfLog")]
    [InlineData(null, "zeros", "", "EndOfLog")]
    [InlineData(null, "footer", "frames-follow", "EndOfLog")]
    public void The_first_row_that_applies_decides(int? next, string after, string besides, string kind)
    {
        string[] facts = besides.Split(' ');
        SegmentInfo segment = Segment(1) with
        {
            FooterOffset = facts.Contains("footer-here") ? End : facts.Contains("footer-further-on") ? End + 500 : 0,
        };
        SegmentEnd end = new(segment, End, Last, after == "footer", after == "bad" ? "a bad checksum" : null, next is { } first ? Segment(first) : null)
        {
            IsBeforeFooter = facts.Contains("later-footer"),
            Durable = facts.Contains("durable") ? Last + 1 : Last,
            MayHaveRestarted = facts.Contains("restarted"),
        };

        end.Decide(() => facts.Contains("removed"), () => facts.Contains("frames-follow")).Kind.ToString().ShouldBe(kind);
    }

    private static SegmentInfo Segment(long first) => new()
    {
        Path = $"segment with {first}",
        Id = first,
        Header = new SegmentHeader(first, 4096, 0, Guid.Empty, 0),
        HeaderChain = 0,
        FirstSequence = first,
    };
}
