using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench.Files;

/// <summary>
/// Where trees of many files are made: an ext4 image of their own where root can mount one, else a folder. ext4 gives no inode again
/// for minutes after its removal, and looks at each of those when it makes a file near them: on a disk from which such trees were
/// just removed a copy takes several times as long. An image is removed at once, with all that is in it, when it is disposed; a folder
/// stays until the run is over.
/// </summary>
internal sealed class TreeVolume : IDisposable
{
    private readonly LoopFileSystem? _image;
    private readonly string _folder;

    private TreeVolume(LoopFileSystem? image, string folder) => (_image, _folder) = (image, folder);

    public string Root => _image?.Root ?? _folder;

    /// <summary>One for each row that makes trees: together they would need several times the space of one.</summary>
    public static TreeVolume Make(BenchContext context, string name)
    {
        string folder = context.KeptPath("trees-" + name);
        try
        {
            return new TreeVolume(LoopFileSystem.Make(folder + ".image", "ext4", BytesOf(context.Scale)), folder);
        }
        catch (RowSkippedException)
        {
            Directory.CreateDirectory(folder);
            return new TreeVolume(null, folder);
        }
    }

    /// <summary>
    /// How many trees a row makes, each a new one: that of the source, one for each side's warm-up, and for each side of a round one that
    /// counts and an unmeasured one before it. Rounds that are left out make more.
    /// </summary>
    /// <param name="scale">Of the run.</param>
    /// <param name="maxRounds">Of the row.</param>
    public static long TreesOf(BenchScale scale, int maxRounds)
    {
        const int Sides = 2;
        const int TreesOfTurn = 2;
        return 1 + Sides + ((long)Math.Min(scale.Rounds, maxRounds) * Sides * TreesOfTurn);
    }

    /// <summary>
    /// How large an image is. It has room for all trees that a row may make, as many again for rounds that are left out. It takes the space
    /// of those that are made.
    /// </summary>
    public static long BytesOf(BenchScale scale) =>
        (2 * TreesOf(scale, scale.Rounds) * scale.TreeFileCount * 5 * ByteSize.KiB) + (scale.EnumeratedFileCount * ByteSize.KiB)
        + ByteSize.GiB;

    /// <summary>Always a folder, where it is the file system of the scratch folder that is measured.</summary>
    public static TreeVolume Plain(BenchContext context, string name) =>
        new(null, Directory.CreateDirectory(context.KeptPath("trees-" + name)).FullName);

    public void Flush()
    {
        _image?.Flush();
        SystemCommand.Sync(Path.GetDirectoryName(_folder)!);
    }

    public void Dispose() => _image?.Dispose();
}
