namespace Sluice.Cli.Bench;

internal enum RateUnit { Iops, OperationsPerSecond, MiBPerSecond }
