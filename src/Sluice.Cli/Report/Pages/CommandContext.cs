using Sluice.Cli.Terminal;

namespace Sluice.Cli.Report.Pages;

/// <summary>The input of a command besides its own options.</summary>
/// <param name="Arguments">The arguments as typed.</param>
/// <param name="CancellationToken">The token that a signal cancels.</param>
internal sealed record CommandContext(
    IReadOnlyList<string> Arguments, TerminalStreams Terminal, PageOutput Output, CancellationToken CancellationToken);
