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
                _ = Directory.CreateDirectory(to);
                foreach ((string name, byte[] bytes) in now)
                {
                    File.WriteAllBytes(Path.Combine(to, name), bytes);
                }

                return;
            }

            before = now;
        }

        throw new TimeoutException($"{from} is never twice the same");
    }

    /// <summary>Null where a file was removed, or became shorter, while it was to be read.</summary>
    private static Dictionary<string, byte[]>? TryLook(string folder)
    {
        try
        {
            return Directory.GetFiles(folder).ToDictionary(static f => Path.GetFileName(f), File.ReadAllBytes);
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
