using Sluice.Cli.Commands;

namespace Sluice.Cli.Bench.Files;

/// <summary>SluiceFile against File and Directory: many small files, whole texts, copies, trees, enumeration, replacement.</summary>
internal static class FilesSuite
{
    public static Suite Create() => new(
        "files", "SluiceFile against File, Directory and cp", "5 minutes", scale => scale.SliceTime, Space,
        [.. SmallFileRows.All(), .. TextRows.All(), .. CopyRows.All(), .. EnumerationRows.All(), ReplacementRows.Replace()]);

    /// <summary>The source of a copy and the copy; trees are smaller.</summary>
    private static long Space(BenchScale scale) =>
        (2 * scale.CopyFileBytes) + (scale.TreeFileCount * 16 * ByteSize.KiB) + BenchScale.SpareBytes;
}
