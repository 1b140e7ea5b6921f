namespace Sluice.Cli.Commands;

internal enum OptionValue { None, Optional, Required }

/// <summary>How one option is written: its long name, its short letter (or none), and whether a value follows.</summary>
internal sealed record OptionSyntax(string LongName, char? ShortName, OptionValue Value);
