namespace Sluice.Cli.Programs.Methods;

/// <summary>What a method gives or takes: only those of one kind can be compared.</summary>
internal enum ResultKind { Bytes, Text, Lines }
