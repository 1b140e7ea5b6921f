using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>One checked `doctor` command line.</summary>
internal sealed record DoctorOptions(string Path)
{
    public PageOutput Output { get; init; } = new();
}
