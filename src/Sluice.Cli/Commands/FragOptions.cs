using Sluice.Cli.Programs.Frag;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>One checked `frag` command line.</summary>
internal sealed record FragOptions(string Directory, FragSettings Settings)
{
    /// <summary>At most so much is filled, whatever the volume would allow.</summary>
    public long? BudgetBytes { get; init; }

    public bool DryRun { get; init; }

    public bool Cleanup { get; init; }

    public bool Force { get; init; }

    public bool Quiet { get; init; }

    public PageOutput Output { get; init; } = new();
}
