namespace Sluice.Cli.Load;

/// <summary>Throughput over a stretch of one side's measured time.</summary>
internal readonly record struct RateWindow(double StartSeconds, double Seconds, double MiBPerSecond);
