namespace Sluice.Cli.Report.Pages;

/// <summary>A heading with its content. In an HTML page, charts precede the tables; text has none.</summary>
internal sealed record PageSection
{
    public required string Heading { get; init; }

    /// <summary>The text. Each line is a paragraph, and a line that begins with four blanks is code.</summary>
    public string? Text { get; init; }

    public IReadOnlyList<PageChart> Charts { get; init; } = [];

    public IReadOnlyList<PageTable> Tables { get; init; } = [];
}
