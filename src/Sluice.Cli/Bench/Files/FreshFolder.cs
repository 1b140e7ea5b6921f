namespace Sluice.Cli.Bench.Files;

/// <summary>
/// A folder that a row creates repeatedly, each time under another name: for minutes after the removal of files, ext4 does not reuse their
/// inodes, and examines each of them when it creates a file nearby. All of these folders are deleted at the end of the run.
/// </summary>
internal sealed class FreshFolder(BenchContext context, string name, Action<string>? make = null)
{
    private int _number;

    public string FullPath => context.KeptPath($"{name}-{_number}");

    public void Renew()
    {
        // Writes back the files of the previous slice, so that their writeback does not slow down the next slice.
        Settling.FileSystemOf(Path.GetDirectoryName(FullPath)!);
        _number++;
        make?.Invoke(FullPath);
    }
}
