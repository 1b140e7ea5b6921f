using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>One checked `compare` command line.</summary>
internal sealed record CompareOptions(string First, string Second, PageOutput Output);
