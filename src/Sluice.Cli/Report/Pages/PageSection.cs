namespace Sluice.Cli.Report.Pages;

/// <summary>A heading with what belongs under it: the charts first in a page, the tables only in a terminal that cannot draw.</summary>
internal sealed record PageSection
{
    public required string Heading { get; init; }

    /// <summary>Plain sentences; each line is a paragraph of its own.</summary>
    public string? Text { get; init; }

    public IReadOnlyList<PageChart> Charts { get; init; } = [];

    public IReadOnlyList<PageTable> Tables { get; init; } = [];
}
