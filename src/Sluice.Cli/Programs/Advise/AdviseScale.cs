using Sluice.Cli.Bench;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Advise;

/// <summary>Durations and file sizes: of about a minute, or of a quick run that only shows that everything works.</summary>
internal sealed record AdviseScale
{
    public required TimeSpan SliceTime { get; init; }

    public required TimeSpan GridSliceTime { get; init; }

    public required int Rounds { get; init; }

    /// <summary>The size of a new file, and of a file that is copied.</summary>
    public required long WrittenBytes { get; init; }

    /// <summary>The sizes of existing files.</summary>
    public required BenchScale Files { get; init; }

    public long SpaceBytes => Files.DirectFileBytes + Files.HotFileBytes + Files.LogFileBytes + (2 * WrittenBytes) + BenchScale.SpareBytes;

    public static AdviseScale Full { get; } = new()
    {
        SliceTime = TimeSpan.FromMilliseconds(250),
        GridSliceTime = TimeSpan.FromMilliseconds(200),
        Rounds = 3,
        WrittenBytes = 128 * ByteSize.MiB,
        Files = BenchScale.Full with
        {
            DirectFileBytes = 512 * ByteSize.MiB,
            LogFileBytes = 53_687_000,
            CopyFileBytes = 128 * ByteSize.MiB,
            SmallFileCount = 1000,
        },
    };

    public static AdviseScale Quick { get; } = new()
    {
        SliceTime = TimeSpan.FromMilliseconds(5),
        GridSliceTime = TimeSpan.FromMilliseconds(2),
        Rounds = 1,
        WrittenBytes = 2 * ByteSize.MiB,
        Files = BenchScale.Quick with { DirectFileBytes = 8 * ByteSize.MiB, SmallFileCount = 50, CopyFileBytes = 2 * ByteSize.MiB },
    };
}
