using System.Runtime.Versioning;
using System.Security.Cryptography;
using System.Text;
using Sluice.Enumeration;
using Sluice.Errors;
using Sluice.Kernel;

namespace Sluice.Copying.Ranges;

/// <summary>
/// What is in a <see cref="PartFolder"/>: the file, <c>(id).part</c>, and its marks, <c>(id).R</c>. An id has 16 digits that nobody can
/// foresee, and 16 that say for which folder it was made.
/// </summary>
[SupportedOSPlatform("linux")]
internal static class PartNames
{
    /// <summary>The bytes of either half of an id.</summary>
    public const int IdBytes = 8;

    public const int IdDigits = 2 * IdBytes * 2;

    public const string FileSuffix = ".part";

    /// <summary>Those digits of an id that say for which folder it was made.</summary>
    public static string DigitsOf(in NodePath folder) => Convert.ToHexStringLower(SHA256.HashData(folder.Leaf).AsSpan(0, IdBytes));

    /// <summary>Whether a name is of the file, or of a mark, for a folder with these digits.</summary>
    public static bool IsMade(string name, string digits) =>
        name.Length > IdDigits + 1
        && name.AsSpan(0, IdDigits).EndsWith(digits, StringComparison.Ordinal)
        && name[IdDigits] == '.'
        && (name.AsSpan(IdDigits).SequenceEqual(FileSuffix) || !name.AsSpan(IdDigits + 1).ContainsAnyExceptInRange('0', '9'));

    /// <summary>All names in a folder.</summary>
    public static List<string> In(int folderFd, in NodePath folder)
    {
        DirectoryReader reader = DirectoryReader.Of(PathCalls.OpenAt(folderFd, ".\0"u8, TreeRoot.FolderFlags));
        try
        {
            PathErrors.ThrowIfFailed(Math.Min(reader.Descriptor, 0), "Opening the folder", folder.Text);
            PathErrors.ThrowIfFailed(reader.ReadNames(out List<byte[]> names), "Reading the folder", folder.Text);
            return names.ConvertAll(n => Encoding.Latin1.GetString(n.AsSpan()[..^1]));
        }
        finally
        {
            reader.Release();
        }
    }

    /// <summary>
    /// The ids of the files in a folder: one; none where the file has got its name. Several are there only if somebody else has put one
    /// there.
    /// </summary>
    public static string[] FilesIn(int folderFd, in NodePath folder)
    {
        string digits = DigitsOf(folder);
        return
        [
            .. In(folderFd, folder)
                .Where(n => IsMade(n, digits) && n.EndsWith(FileSuffix, StringComparison.Ordinal))
                .Select(n => n[..IdDigits])
                .Distinct(),
        ];
    }
}
