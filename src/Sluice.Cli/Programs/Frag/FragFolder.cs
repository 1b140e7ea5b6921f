using Sluice.Cli.Bench;

namespace Sluice.Cli.Programs.Frag;

/// <summary>The folder of one run. Removing it deletes the files of the run by their names, and keeps other entries.</summary>
internal static class FragFolder
{
    public const string Prefix = "sluice-frag-";
    private const string FileSuffix = ".frag";

    // The number of digits in a file's name; FragOptions limits the number of files accordingly.
    private const int Digits = 7;

    public static OwnedFolder Create(string parent) => OwnedFolder.Create(parent, Prefix);

    /// <summary>Returns the folders of earlier runs.</summary>
    public static IReadOnlyList<string> Find(string parent) => [.. OwnedFolder.Find(parent, Prefix)];

    /// <exception cref="IOException">The run that created the folder is active, or it is not known whether it is.</exception>
    public static OwnedFolder Take(string folder) => OwnedFolder.Take(folder, Prefix);

    /// <summary>Returns the path of a file of the plan: numbered directories and a numbered name.</summary>
    public static string NameOf(int number, int filesPerDirectory, int subdirectories, int depth)
    {
        int leaf = number / filesPerDirectory;
        var parts = new string[depth + 1];
        for (int level = depth - 1; level >= 0; level--)
        {
            parts[level] = $"{leaf % subdirectories}";
            leaf /= subdirectories;
        }
        parts[depth] = $"{number}".PadLeft(Digits, '0') + FileSuffix;
        return Path.Combine(parts);
    }

    /// <summary>Returns true if the file system lists extents.</summary>
    public static bool CanMap(OwnedFolder folder)
    {
        try
        {
            using SluiceHandle handle = SluiceHandle.FromSafeFileHandle(folder.LockHandle, FileAccess.ReadWrite, ownsHandle: false);
            handle.GetExtents();
            return true;
        }
        catch (PlatformNotSupportedException)
        {
            return false;
        }
    }

    /// <summary>
    /// Deletes the files and directories of the run, and its lock file last, so that a folder that remains after a kill is still
    /// recognized.
    /// </summary>
    /// <returns>True if the folder contains other entries, and it and they stay.</returns>
    public static bool Remove(OwnedFolder folder)
    {
        string lockPath = Path.GetFullPath(folder.LockPath);
        if (RemoveFrom(new DirectoryInfo(folder.FullPath), lockPath))
            return true;
        folder.Dispose();
        File.Delete(lockPath);
        Directory.Delete(folder.FullPath);
        return false;
    }

    /// <param name="kept">The path of an entry that stays.</param>
    private static bool RemoveFrom(DirectoryInfo directory, string kept)
    {
        bool strangers = false;
        foreach (FileSystemInfo entry in directory.EnumerateFileSystemInfos().Where(e => e.FullName != kept).ToArray())
        {
            if (entry.LinkTarget is null && entry is FileInfo && IsOurFile(entry.Name))
                entry.Delete();
            else if (entry.LinkTarget is null && entry is DirectoryInfo child && entry.Name.All(char.IsAsciiDigit)
                && !RemoveFrom(child, kept))
                child.Delete();
            else
                strangers = true;
        }
        return strangers;
    }

    private static bool IsOurFile(string name) =>
        name.Length == Digits + FileSuffix.Length && name.EndsWith(FileSuffix, StringComparison.Ordinal)
        && name.AsSpan(0, Digits).IndexOfAnyExceptInRange('0', '9') < 0;
}
