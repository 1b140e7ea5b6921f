using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench.Files;

/// <summary>
/// Where trees of many files are made: an ext4 image of their own where root can mount one, else a folder. ext4 gives no inode again
/// for minutes after its removal, and looks at each of those when it makes a file near them: on a disk from which such trees were
/// just removed a copy takes several times as long. And an image is removed at once, with all that is in it.
/// </summary>
internal sealed class TreeVolume : IDisposable
{
    private readonly LoopFileSystem? _image;
    private readonly string _folder;

    private TreeVolume(LoopFileSystem? image, string folder) => (_image, _folder) = (image, folder);

    public string Root => _image?.Root ?? _folder;

    /// <summary>One for each row that makes trees: together they would need several times the space of one.</summary>
    public static TreeVolume Of(BenchContext context, string name) => context.Shared("trees-" + name, () =>
    {
        string folder = context.KeptPath("trees-" + name);
        try
        {
            long bytes = (20L * context.Scale.TreeFileCount * 5 * ByteSize.KiB) + (context.Scale.EnumeratedFileCount * ByteSize.KiB)
                + ByteSize.GiB;
            return new TreeVolume(LoopFileSystem.Make(folder + ".image", "ext4", bytes), folder);
        }
        catch (RowSkippedException)
        {
            Directory.CreateDirectory(folder);
            return new TreeVolume(null, folder);
        }
    });

    /// <summary>Always a folder, where it is the file system of the scratch folder that is measured.</summary>
    public static TreeVolume Plain(BenchContext context, string name) => context.Shared("trees-" + name, () =>
        new TreeVolume(null, Directory.CreateDirectory(context.KeptPath("trees-" + name)).FullName));

    public void Flush()
    {
        _image?.Flush();
        SystemCommand.Run("sync", "--file-system", Path.GetDirectoryName(_folder)!);
    }

    public void Dispose() => _image?.Dispose();
}
