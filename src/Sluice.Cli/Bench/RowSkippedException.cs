namespace Sluice.Cli.Bench;

/// <summary>A row that cannot be measured here; the run goes on, and its end says why.</summary>
internal sealed class RowSkippedException(string reason, Exception? inner = null) : Exception(reason, inner);
