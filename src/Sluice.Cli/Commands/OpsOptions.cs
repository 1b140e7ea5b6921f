using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>One checked `ops` command line.</summary>
internal sealed record OpsOptions(string Directory)
{
    public EngineChoice Engine { get; init; } = EngineChoice.Both;

    public int SizeBytes { get; init; } = (int)(20 * ByteSize.MiB);

    public int ChunkBytes { get; init; } = (int)(4 * ByteSize.KiB);

    public int Rounds { get; init; } = 5;

    public PageOutput Output { get; init; } = new();

    /// <summary>Print the article's comma-separated lines.</summary>
    public bool Quiet { get; init; }
}
