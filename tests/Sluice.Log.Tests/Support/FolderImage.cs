using Sluice.Log.Folders;

namespace Sluice.Log.Tests.Support;

/// <summary>A folder's files as they are at one moment, beside threads that write, make, rename and remove some.</summary>
internal static class FolderImage
{
    private const int MaxLooks = 10_000;

    /// <summary>
    /// Copies a state that there was. Files that are read one after another are none, where others write meanwhile: a mark that was read
    /// behind a listing may speak of a file that was made between the two. So all is read again until it is as it was; at some moment
    /// between two equal looks it was that.
    /// </summary>
    public static void Copy(string from, string to)
    {
        Dictionary<string, byte[]>? before = null;
        for (int i = 0; i < MaxLooks; i++)
        {
            Dictionary<string, byte[]>? now = TryLook(from);
            if (before is not null && now is not null && IsSame(before, now))
            {
                Write(to, now);
                return;
            }

            before = now;
        }

        throw new TimeoutException($"{from} is never twice the same");
    }

    /// <summary>Returns the content of each file, except the lock.</summary>
    public static Dictionary<string, byte[]> Read(string folder) => Directory.GetFiles(folder)
        .Where(static f => Path.GetFileName(f) != LogFolder.LockName).ToDictionary(static f => Path.GetFileName(f), File.ReadAllBytes);

    /// <summary>A folder has these files, and no others but that of the lock.</summary>
    public static void ShouldBe(string folder, Dictionary<string, byte[]> files, string? what = null)
    {
        Dictionary<string, byte[]> now = Read(folder);
        now.Keys.Order(StringComparer.Ordinal).ShouldBe(files.Keys.Order(StringComparer.Ordinal), what);
        now.ShouldAllBe(f => f.Value.SequenceEqual(files[f.Key]), what);
    }

    /// <summary>Makes a folder that has these files, and no others.</summary>
    public static void Write(string folder, Dictionary<string, byte[]> files)
    {
        if (Directory.Exists(folder))
        {
            Directory.Delete(folder, recursive: true);
        }

        Directory.CreateDirectory(folder);
        foreach ((string name, byte[] bytes) in files)
        {
            File.WriteAllBytes(Path.Combine(folder, name), bytes);
        }
    }

    /// <summary>Null where a file was removed, or became shorter, while it was to be read.</summary>
    private static Dictionary<string, byte[]>? TryLook(string folder)
    {
        try
        {
            return Read(folder);
        }
        catch (Exception e) when (e is FileNotFoundException or EndOfStreamException)
        {
            return null;
        }
    }

    private static bool IsSame(Dictionary<string, byte[]> one, Dictionary<string, byte[]> other) =>
        one.Count == other.Count
        && one.All(p => other.TryGetValue(p.Key, out byte[]? bytes) && bytes.AsSpan().SequenceEqual(p.Value));
}
