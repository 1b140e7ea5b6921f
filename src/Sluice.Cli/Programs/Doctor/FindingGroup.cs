namespace Sluice.Cli.Programs.Doctor;

internal sealed record FindingGroup(string Name, IReadOnlyList<Finding> Findings);
