namespace Sluice.Cli.Bench;

internal readonly record struct SliceSample(double OperationsPerSecond, double CpuUsPerOperation, double AllocatedBytesPerOperation);
