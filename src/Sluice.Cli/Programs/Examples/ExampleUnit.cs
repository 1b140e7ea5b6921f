namespace Sluice.Cli.Programs.Examples;

/// <summary>What a program takes or gives at a time.</summary>
internal enum ExampleUnit { Byte, Line, Block }
