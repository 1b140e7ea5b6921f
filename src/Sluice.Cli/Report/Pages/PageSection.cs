namespace Sluice.Cli.Report.Pages;

/// <summary>A heading with its content. In a page, maps and charts precede the tables; in a terminal, they follow them.</summary>
internal sealed record PageSection
{
    public required string Heading { get; init; }

    /// <summary>Sentences; each line is a paragraph, and one that begins with four blanks is code.</summary>
    public string? Text { get; init; }

    // Empty for results of earlier versions: the deserializer passes null for a missing property.
    public IReadOnlyList<PageChart> Charts { get; init => field = value ?? []; } = [];

    public IReadOnlyList<PageMap> Maps { get; init => field = value ?? []; } = [];

    public IReadOnlyList<PageTable> Tables { get; init => field = value ?? []; } = [];
}
