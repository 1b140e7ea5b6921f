using System.Globalization;

namespace Sluice.Cli.Bench.Files;

/// <summary>
/// A folder that a row makes again and again, under another name each time. What was made before is not removed until the run is over:
/// ext4 gives no inode again for a minute or more after its removal, and looks at each of those when it makes a file.
/// </summary>
internal sealed class FreshTree(string path, Action<string>? make = null)
{
    private int _number;

    public string FullPath => string.Create(CultureInfo.InvariantCulture, $"{path}-{_number}");

    public void Renew()
    {
        // Or the writing back of one side's files would burden the other's slice.
        PeerProgram.Run("sync", "--file-system", Path.GetDirectoryName(path)!);
        _number++;
        make?.Invoke(FullPath);
    }
}
