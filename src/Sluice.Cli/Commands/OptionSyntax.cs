namespace Sluice.Cli.Commands;

internal enum OptionValue { None, Optional, Required }

/// <summary>How one option is written: its long name, its short name without the dash (-t, -Fm; or none), and whether a value follows.</summary>
internal sealed record OptionSyntax(string LongName, string? ShortName, OptionValue Value);
