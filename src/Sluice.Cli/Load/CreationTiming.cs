namespace Sluice.Cli.Load;

internal sealed record CreationTiming(IoSide Side, long SizeBytes, TimeSpan Write, TimeSpan Flush, TimeSpan Cpu);
