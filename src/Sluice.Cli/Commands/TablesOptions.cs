using Sluice.Cli.Bench;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>One checked `tables` command line.</summary>
internal sealed record TablesOptions(string Directory)
{
    /// <summary>Only tables whose heading contains this, whatever its case.</summary>
    public string? Table { get; init; }

    public bool Quick { get; init; }

    public PageOutput Output { get; init; } = new();

    public BenchScale Scale => Quick
        ? BenchScale.Quick with { Rounds = 1, StreamSliceTime = TimeSpan.FromMilliseconds(2), StreamFileBytes = 256 * ByteSize.KiB }
        : BenchScale.Full with { Rounds = 5, StreamSliceTime = TimeSpan.FromMilliseconds(80) };
}
