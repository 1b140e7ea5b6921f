using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench.Files;

/// <summary>SluiceFile against File and Directory: many small files, whole texts, copies, trees, enumeration, replacement.</summary>
internal static class FilesSuite
{
    public static Suite Create() => new(
        "files", "SluiceFile against File, Directory and cp", "12 minutes", scale => scale.StreamSliceTime, Space,
        [.. SmallFileRows.All(), .. TextRows.All(), .. CopyRows.All(), .. ReflinkRows.All(), .. EnumerationRows.All(),
            .. SingleRows.All(), ReplacementRows.Replace()]);

    /// <summary>The source of a copy, the copy, and the images; small files take a block each, and are all there at the end.</summary>
    private static long Space(BenchScale scale) =>
        (4 * scale.CopyFileBytes)
        + (((3L * scale.TreeFileCount) + (2L * scale.SmallFileCount) + scale.EnumeratedFileCount) * 4 * ByteSize.KiB)
        + BenchScale.SpareBytes;
}
