namespace Sluice.Cli.Report.Pages;

/// <summary>A heading with what belongs under it: in a page maps and charts come before the tables, in a terminal after them.</summary>
internal sealed record PageSection
{
    public required string Heading { get; init; }

    /// <summary>Plain sentences; each line is a paragraph of its own, and one that begins with four blanks is code.</summary>
    public string? Text { get; init; }

    // A result of before one of these was there reads as having none: the reader passes null for what is missing.
    public IReadOnlyList<PageChart> Charts { get; init => field = value ?? []; } = [];

    public IReadOnlyList<PageMap> Maps { get; init => field = value ?? []; } = [];

    public IReadOnlyList<PageTable> Tables { get; init => field = value ?? []; } = [];
}
