namespace Sluice.Cli.Report;

/// <summary>Reads files of /proc and /sys. Other systems do not have them, and a sandbox may hide them.</summary>
internal static class SystemFile
{
    /// <summary>Returns the lines of a file; none if it cannot be read.</summary>
    public static string[] Lines(string path)
    {
        try
        {
            return File.ReadAllLines(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }

    /// <summary>Returns the first line; null if there is none.</summary>
    public static string? FirstLine(string path) => Lines(path) is [var first, ..] ? first.Trim() : null;

    /// <summary>Returns the value of the first line that begins with a name, such as "read_bytes: 4096"; null if there is none.</summary>
    public static string? Value(IEnumerable<string> lines, string name) =>
        lines.FirstOrDefault(line => line.StartsWith(name, StringComparison.Ordinal))?[name.Length..].Trim(' ', '\t', ':');
}
