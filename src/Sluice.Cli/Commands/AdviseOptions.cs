using Sluice.Cli.Programs.Advise;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>One checked `advise` command line.</summary>
internal sealed record AdviseOptions(string Directory)
{
    public bool Quick { get; init; }

    public PageOutput Output { get; init; } = new();

    public AdviseScale Scale => Quick ? AdviseScale.Quick : AdviseScale.Full;
}
