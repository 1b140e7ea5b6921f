using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench.Files;

/// <summary>SluiceFile against File and Directory: many small files, whole texts, copies, trees, enumeration, replacement.</summary>
internal static class FilesSuite
{
    public static Suite Create() => new(
        "files", "SluiceFile against File, Directory and cp", "12 minutes", scale => scale.StreamSliceTime,
        static scale => Space(scale, LoopFileSystem.MayBeMade),
        [.. SmallFileRows.All(), .. TextRows.All(), .. CopyRows.All(), .. ReflinkRows.All(), .. EnumerationRows.All(),
            .. SingleRows.All(), ReplacementRows.Replace()]);

    /// <summary>
    /// Small files take a block each, and of ext4 an inode and a place in a folder. Where images can be made, what a row of trees makes
    /// goes with it; in folders it stays (<see cref="TreeVolume"/>).
    /// </summary>
    internal static SuiteSpace Space(BenchScale scale, bool hasImages)
    {
        const long BytesOfFile = 9 * ByteSize.KiB / 2;
        long trees = TreeVolume.TreesOf(scale, CopyRows.Rounds);
        long copied = trees * scale.TreeFileCount * BytesOfFile;
        long written = trees * scale.SmallFileCount * BytesOfFile;
        // An image with a file in it and its copy.
        long passing = 2 * scale.CopyFileBytes;
        IReadOnlyList<(string Name, long Bytes)> kept =
        [
            ("copy-source.dat", scale.CopyFileBytes), ("small", scale.SmallFileCount * BytesOfFile),
            ("trees-enumerated", scale.EnumeratedFileCount * BytesOfFile),
        ];
        return hasImages
            ? new SuiteSpace(Math.Max(passing, Math.Max(copied, written)), kept)
            : new SuiteSpace(passing, [.. kept, ("trees-nested", copied), ("trees-flat", copied), ("trees-written", written)]);
    }
}
