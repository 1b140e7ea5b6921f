namespace Sluice.Log.Tests.Support;

/// <summary>What this process has open; Linux.</summary>
internal static class OpenFiles
{
    /// <summary>The files of a folder, and the folder itself.</summary>
    public static IReadOnlyList<string> Of(string folder) =>
        [.. Directory.GetFiles("/proc/self/fd").Select(NameOf)
            .Where(t => t == folder || t.StartsWith(folder + "/", StringComparison.Ordinal))];

    /// <summary>What a descriptor leads to; empty where it was closed.</summary>
    public static string NameOf(int fd) => fd < 0 ? "" : NameOf($"/proc/self/fd/{fd}");

    private static string NameOf(string link)
    {
        try
        {
            return new FileInfo(link).LinkTarget ?? "";
        }
        catch (IOException)
        {
            return "";
        }
    }
}
