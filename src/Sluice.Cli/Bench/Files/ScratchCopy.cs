namespace Sluice.Cli.Bench.Files;

/// <summary>A file that a row makes again and again; removed, and what was written settled, before each time and at the end.</summary>
internal sealed class ScratchCopy(string path) : IDisposable
{
    public string FullPath => path;

    public void Renew()
    {
        Dispose();
        // Or the writing back of one side's file would burden the other's slice.
        SystemCommand.Sync(Path.GetDirectoryName(path)!);
    }

    public void Dispose() => File.Delete(path);
}
