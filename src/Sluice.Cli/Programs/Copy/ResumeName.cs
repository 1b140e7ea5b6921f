using System.Security.Cryptography;
using System.Text;
using Sluice.Diagnostics;

namespace Sluice.Cli.Programs.Copy;

/// <summary>Names the file in which a copy with --resume keeps its data: ".name.sluice-tmp" in the folder of the target.</summary>
internal static class ResumeName
{
    private const int MaxNameBytes = 255;
    private const string Suffix = ".sluice-tmp";

    /// <param name="target">The target of the copy. If it is a link, the name is derived from the target of the link.</param>
    public static string Of(string target)
    {
        string path = Path.TrimEndingDirectorySeparator(target);
        path = new FileInfo(path).LinkTarget is null ? path : RealPath.Of(path);
        string name = Path.GetFileName(path);
        byte[] bytes = Encoding.UTF8.GetBytes(name);
        // A name that is too long for a suffix is replaced by its checksum.
        name = bytes.Length > MaxNameBytes - Suffix.Length - 1 ? Convert.ToHexStringLower(SHA256.HashData(bytes)) : name;
        return Path.Join(Path.GetDirectoryName(path), $".{name}{Suffix}");
    }
}
