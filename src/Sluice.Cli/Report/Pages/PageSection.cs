namespace Sluice.Cli.Report.Pages;

/// <summary>A heading with what belongs under it: in a page maps and charts come before the tables, in a terminal after them.</summary>
internal sealed record PageSection
{
    public required string Heading { get; init; }

    /// <summary>Plain sentences; each line is a paragraph of its own, and one that begins with four blanks is code.</summary>
    public string? Text { get; init; }

    public IReadOnlyList<PageChart> Charts { get; init; } = [];

    public IReadOnlyList<PageMap> Maps { get; init; } = [];

    public IReadOnlyList<PageTable> Tables { get; init; } = [];
}
