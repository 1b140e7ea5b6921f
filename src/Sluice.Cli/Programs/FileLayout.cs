using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs;

/// <summary>How one file lies on its device.</summary>
internal sealed record FileLayout
{
    private const FileExtentFlags WithoutPlace = FileExtentFlags.Unknown | FileExtentFlags.DelayedAllocation | FileExtentFlags.Inline;

    public required string Path { get; init; }

    public required long SizeBytes { get; init; }

    /// <summary>As the file system lists them.</summary>
    public required int Extents { get; init; }

    /// <summary>
    /// Runs of extents that a sequential reader meets without a jump on the device. File systems limit an extent's length (ext4:
    /// 128 MiB), so a file without any gap may well have several extents.
    /// </summary>
    public required int Pieces { get; init; }

    /// <summary>Bytes that lie on the device at a known place.</summary>
    public required long PlacedBytes { get; init; }

    /// <summary>Bytes that are in memory only, or in the file's metadata: they say nothing about fragmentation.</summary>
    public required long UnplacedBytes { get; init; }

    /// <summary>See <see cref="ScoreOf"/>.</summary>
    public required double Score { get; init; }

    public static FileLayout Of(string path, long sizeBytes, IReadOnlyList<FileExtent> extents)
    {
        int pieces = 0;
        long placed = 0;
        long unplaced = 0;
        FileExtent? previous = null;
        foreach (FileExtent extent in extents)
        {
            if (!HasPlace(extent))
            {
                unplaced += extent.Length;
                continue;
            }
            placed += extent.Length;
            if (previous is not { } before || !Continues(before, extent))
                pieces++;
            previous = extent;
        }
        return new FileLayout
        {
            Path = path,
            SizeBytes = sizeBytes,
            Extents = extents.Count,
            Pieces = pieces,
            PlacedBytes = placed,
            UnplacedBytes = unplaced,
            Score = ScoreOf(Math.Max(0, pieces - 1), placed),
        };
    }

    public static bool HasPlace(FileExtent extent) => (extent.Flags & WithoutPlace) == FileExtentFlags.None;

    /// <summary>
    /// 100 d / (1 + d), where d is jumps per MiB: 0 without a jump, 50 at one for each MiB, towards 100 at one for each block.
    /// </summary>
    public static double ScoreOf(long jumps, long placedBytes)
    {
        if (jumps == 0 || placedBytes == 0)
            return 0;
        double jumpsPerMiB = jumps / (placedBytes / (double)ByteSize.MiB);
        return 100 * jumpsPerMiB / (1 + jumpsPerMiB);
    }

    // A hole that has its counterpart on the device is no jump either: the head, or the read-ahead, just goes on.
    private static bool Continues(FileExtent before, FileExtent next) =>
        next.PhysicalOffset == before.PhysicalOffset + before.Length
        || next.PhysicalOffset - next.Offset == before.PhysicalOffset - before.Offset;
}
