using Sluice.Cli.Bench;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Figures;

/// <summary>The durations and sizes of the figures.</summary>
/// <param name="Files">The durations and file sizes. A slice reads or writes the sequential file at most once.</param>
/// <param name="StreamRequests">The request sizes of streams, in bytes.</param>
/// <param name="DirectRequests">The request sizes of direct I/O, in bytes, which are whole blocks.</param>
/// <param name="CreationRequests">The request sizes with which files are created, in bytes.</param>
/// <param name="VolumeBytes">The size of each of the two images, in bytes.</param>
internal sealed record FigureScale(
    BenchScale Files, IReadOnlyList<int> StreamRequests, IReadOnlyList<int> DirectRequests, IReadOnlyList<int> Depths,
    IReadOnlyList<int> CreationRequests, long CreatedFileBytes, long VolumeBytes)
{
    private const int KiB = (int)ByteSize.KiB;
    private const int MiB = (int)ByteSize.MiB;

    public static FigureScale Full { get; } = new(
        Files: BenchScale.Full with
        {
            StreamSliceTime = TimeSpan.FromMilliseconds(120),
            Rounds = 3,
            SequentialFileBytes = 256 * ByteSize.MiB,
        },
        StreamRequests: [1, 4, 16, 64, 256, KiB, 4 * KiB, 16 * KiB, 64 * KiB, 256 * KiB, MiB, 4 * MiB],
        DirectRequests: [512, 4 * KiB, 16 * KiB, 64 * KiB, 256 * KiB, MiB, 4 * MiB],
        Depths: [1, 2, 4, 8, 16, 32],
        CreationRequests: [1, 16, 256, KiB, 4 * KiB, 64 * KiB, MiB],
        CreatedFileBytes: 32 * ByteSize.MiB,
        VolumeBytes: 256 * ByteSize.MiB);

    public static FigureScale Quick { get; } = new(
        Files: BenchScale.Quick with
        {
            StreamSliceTime = TimeSpan.FromMilliseconds(5),
            Rounds = 1,
            SequentialFileBytes = 4 * ByteSize.MiB,
        },
        StreamRequests: [1, 4 * KiB, MiB],
        DirectRequests: [4 * KiB, MiB],
        Depths: [1, 32],
        CreationRequests: [4 * KiB, 64 * KiB],
        CreatedFileBytes: 3 * ByteSize.MiB,
        VolumeBytes: 16 * ByteSize.MiB);
}
