using System.Security.Cryptography;
using Sluice.Kernel;

namespace Sluice.Copying.Ranges;

/// <summary>
/// What is in a <see cref="PartFolder"/>: the file, <c>(id).part</c>, and its marks, <c>(id).R</c>. An id has 16 digits that nobody can
/// foresee, and 16 that say for which folder it was made.
/// </summary>
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
}
