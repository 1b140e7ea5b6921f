using System.Globalization;
using Sluice.Tests.Shared;

namespace Sluice.Faults.Tests.Support;

/// <summary>Who keeps a mounted folder from being unmounted, as far as /proc tells.</summary>
internal static class Holders
{
    /// <summary>A line for each process with something of the folder open, in memory or as a folder of its own.</summary>
    public static string Of(string folder)
    {
        List<string> lines = [];
        foreach (string process in Directory.EnumerateDirectories("/proc").Where(static p => char.IsAsciiDigit(Path.GetFileName(p)[0])))
        {
            IEnumerable<(string Link, string Target)> links =
                ((string[])["cwd", "root", "exe"]).Select(n => ($"{process}/{n}", OpenFiles.NameOf($"{process}/{n}")));
            List<string> held = [.. links.Concat(OpenFiles.All(process))
                .Where(l => OpenFiles.IsIn(folder, l.Target))
                .Select(l => $"{l.Link[(process.Length + 1)..]} -> {l.Target}")];
            held.AddRange(TextOf($"{process}/maps").Split('\n').Where(l => l.Contains(folder, StringComparison.Ordinal)));
            if (held.Count > 0)
            {
                lines.Add(string.Create(
                    CultureInfo.InvariantCulture,
                    $"{Path.GetFileName(process)} {TextOf($"{process}/comm").Trim()} {ThreadsOf(process)}: {string.Join("; ", held)}"));
            }
        }

        return lines.Count > 0 ? string.Join('\n', lines) : "nobody that /proc tells of";
    }

    /// <summary>Its threads that are in the kernel, each with where it waits.</summary>
    private static string ThreadsOf(string process) =>
        string.Join(' ', OpenFiles.Entries($"{process}/task")
            .Select(static t => $"{TextOf($"{t}/comm").Trim()}@{TextOf($"{t}/wchan").Trim()}")
            .GroupBy(static t => t)
            .Select(static g => $"{g.Count()}x{g.Key}"));

    private static string TextOf(string path)
    {
        try
        {
            return File.ReadAllText(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return "";
        }
    }
}
