using System.Globalization;

namespace Sluice.Cli.Bench.Files;

/// <summary>A folder that a row makes again and again, under another name each time; the volume takes all of them with it.</summary>
internal sealed class FreshTree(TreeVolume volume, string name, Action<string>? make = null)
{
    private int _number;

    public string FullPath => Path.Combine(volume.Root, string.Create(CultureInfo.InvariantCulture, $"{name}-{_number}"));

    public void Renew()
    {
        // Or the writing back of one side's files would burden the other's slice.
        volume.Flush();
        _number++;
        make?.Invoke(FullPath);
    }
}
