using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>One source that `copy` copied.</summary>
internal sealed record CopyRecord(string Name, long Bytes, long Files, double Seconds, double CpuSeconds, string Method, string Reason)
{
    public double MiBPerSecond => Bytes / (double)ByteSize.MiB / Math.Max(Seconds, 1e-6);

    /// <summary>Over the copy's time, in steps of about a tenth of a second.</summary>
    public IReadOnlyList<(double Seconds, double MiBPerSecond)> Rates { get; init; } = [];

    public IReadOnlyList<string> Failures { get; init; } = [];
}
