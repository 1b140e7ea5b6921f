namespace Sluice.Cli.Bench.Files;

/// <summary>SluiceFile against File and Directory: many small files, copies, trees, enumeration, replacement.</summary>
internal static class FilesSuite
{
    public static Suite Create() => new(
        "files", 10, static scale => scale.StreamSliceTime,
        [.. SmallFileRows.All(), .. CopyRows.All(), .. EnumerationRows.All(), .. SingleRows.All()]);
}
