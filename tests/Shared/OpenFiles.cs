namespace Sluice.Tests.Shared;

/// <summary>What a process has open, as /proc tells; nothing where there is no /proc.</summary>
internal static class OpenFiles
{
    private const string Own = "/proc/self";

    /// <summary>
    /// Each descriptor of a process, as the path of its link, with what it leads to: files, folders, rings, pipes. Left out is what was
    /// closed since it was listed, and what may not be looked at.
    /// </summary>
    public static IReadOnlyList<(string Link, string Target)> All(string process = Own) =>
        [.. Entries($"{process}/fd").Select(static l => (Link: l, Target: NameOf(l))).Where(static l => l.Target.Length > 0)];

    /// <summary>What this process has open of a folder, and the folder itself, removed ones too.</summary>
    public static IReadOnlyList<string> Of(string folder) => [.. All().Select(static l => l.Target).Where(t => IsIn(folder, t))];

    public static bool IsIn(string folder, string target) =>
        target == folder || target.StartsWith(folder + "/", StringComparison.Ordinal) || target == folder + " (deleted)";

    /// <summary>What a descriptor of this process leads to; empty where it was closed.</summary>
    public static string NameOf(int fd) => fd < 0 ? "" : NameOf($"{Own}/fd/{fd}");

    /// <summary>What a link of /proc leads to; empty where it is gone, or may not be looked at.</summary>
    public static string NameOf(string link)
    {
        try
        {
            return new FileInfo(link).LinkTarget ?? "";
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return "";
        }
    }

    /// <summary>The entries of a folder of /proc; none where it is gone, or may not be looked at.</summary>
    public static string[] Entries(string folder)
    {
        try
        {
            return Directory.GetFileSystemEntries(folder);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }
}
