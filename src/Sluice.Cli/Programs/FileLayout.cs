using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs;

/// <summary>The layout of a file on its device.</summary>
/// <param name="Extents">The number of extents that the file system lists.</param>
/// <param name="Pieces">
/// The number of sequences of extents that can be read without a seek on the device. File systems limit the length of an extent (ext4:
/// 128 MiB), so a file without gaps may have several extents.
/// </param>
/// <param name="PlacedBytes">The number of bytes at a known place on the device.</param>
/// <param name="UnplacedBytes">
/// The number of bytes that are only in memory or in the file's metadata. They do not count as fragmentation.
/// </param>
/// <param name="Score">The fragmentation score; see <see cref="ScoreOf"/>.</param>
internal sealed record FileLayout(
    string Path, long SizeBytes, int Extents, int Pieces, long PlacedBytes, long UnplacedBytes, double Score)
{
    private const FileExtentFlags WithoutPlace = FileExtentFlags.Unknown | FileExtentFlags.DelayedAllocation | FileExtentFlags.Inline;

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
        return new FileLayout(
            Path: path,
            SizeBytes: sizeBytes,
            Extents: extents.Count,
            Pieces: pieces,
            PlacedBytes: placed,
            UnplacedBytes: unplaced,
            Score: ScoreOf(Math.Max(0, pieces - 1), placed));
    }

    public static bool HasPlace(FileExtent extent) => (extent.Flags & WithoutPlace) == FileExtentFlags.None;

    /// <summary>
    /// Returns 100 d / (1 + d), where d is the number of seeks per MiB: 0 without a seek, 50 with one seek per MiB, nearly 100 with one
    /// seek per block.
    /// </summary>
    public static double ScoreOf(long jumps, long placedBytes)
    {
        if (jumps == 0 || placedBytes == 0)
            return 0;
        double jumpsPerMiB = jumps / (placedBytes / (double)ByteSize.MiB);
        return 100 * jumpsPerMiB / (1 + jumpsPerMiB);
    }

    // A hole with a gap of the same length on the device does not require a seek.
    private static bool Continues(FileExtent before, FileExtent next) =>
        next.PhysicalOffset == before.PhysicalOffset + before.Length
        || next.PhysicalOffset - next.Offset == before.PhysicalOffset - before.Offset;
}
