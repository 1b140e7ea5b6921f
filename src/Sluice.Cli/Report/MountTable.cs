using System.Text.RegularExpressions;

namespace Sluice.Cli.Report;

/// <summary>One line of /proc/self/mountinfo.</summary>
internal sealed record MountEntry(string DeviceNumber, string MountPoint, string FileSystem, string Source, string Options);

/// <summary>Finds the mount that contains a path (proc(5), mountinfo).</summary>
internal static class MountTable
{
    public static MountEntry? Find(IEnumerable<string> mountInfoLines, string fullPath)
    {
        MountEntry? best = null;
        foreach (string line in mountInfoLines)
        {
            // A later mount on the same point hides the earlier one, hence >=.
            if (Parse(line) is { } entry && Covers(entry.MountPoint, fullPath) && entry.MountPoint.Length >= (best?.MountPoint.Length ?? 0))
                best = entry;
        }
        return best;
    }

    private static MountEntry? Parse(string line)
    {
        string[] fields = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
        int separator = Array.IndexOf(fields, "-");
        return fields.Length < 6 || separator < 6 || separator + 2 >= fields.Length
            ? null
            : new MountEntry(fields[2], Unescape(fields[4]), fields[separator + 1], Unescape(fields[separator + 2]), fields[5]);
    }

    private static bool Covers(string mountPoint, string path) =>
        mountPoint == "/" || path == mountPoint || path.StartsWith(mountPoint + "/", StringComparison.Ordinal);

    // Blank, tab, newline and backslash are written as a backslash and three octal digits.
    private static string Unescape(string text) => Regex.Replace(
        text, @"\\[0-7]{3}", escape => $"{(char)Convert.ToInt32(escape.Value[1..], 8)}", RegexOptions.None, TimeSpan.FromSeconds(1));
}
