using System.Globalization;

namespace Sluice.Cli.Bench.Files;

/// <summary>
/// A folder that a row makes again and again, under another name each time: ext4 gives no inode again for minutes after its removal, and
/// examines each of those when it makes a file near them. All of them go when the run is over.
/// </summary>
internal sealed class FreshFolder(BenchContext context, string name, Action<string>? make = null)
{
    private int _number;

    public string FullPath => context.KeptPath(string.Create(CultureInfo.InvariantCulture, $"{name}-{_number}"));

    public void Renew()
    {
        // Otherwise the writing back of one side's files would burden the other's slice.
        Settling.FileSystemOf(Path.GetDirectoryName(FullPath)!);
        _number++;
        make?.Invoke(FullPath);
    }
}
