using Sluice.Cli.Commands;

namespace Sluice.Cli.Bench;

/// <summary>How long and how large: the real run, or a quick one that only shows that everything works.</summary>
internal sealed record BenchScale(
    TimeSpan SliceTime, int Rounds, TimeSpan FioTime, int FioSamples, long DirectFileBytes, long HotFileBytes, long AppendLimitBytes)
{
    /// <summary>What the scratch folder takes at most, with a little to spare.</summary>
    public long SpaceBytes => DirectFileBytes + HotFileBytes + AppendLimitBytes + (64 * ByteSize.MiB);

    public static BenchScale Full { get; } = new(
        TimeSpan.FromMilliseconds(220), 7, TimeSpan.FromMilliseconds(500), 3, ByteSize.GiB, 64 * ByteSize.MiB, 512 * ByteSize.MiB);

    public static BenchScale Quick { get; } = new(
        TimeSpan.FromMilliseconds(10), 5, TimeSpan.FromMilliseconds(50), 1, 16 * ByteSize.MiB, 4 * ByteSize.MiB, 8 * ByteSize.MiB);
}
