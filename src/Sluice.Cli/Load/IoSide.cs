namespace Sluice.Cli.Load;

internal enum IoSide { Sluice, Bcl }
