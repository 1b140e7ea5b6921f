using Sluice.Cli.Bench;

namespace Sluice.Cli.Programs.Frag;

/// <summary>The folder of one run. Removing it deletes the files of the run by their names, and keeps other entries.</summary>
internal sealed class FragFolder : IDisposable
{
    public const string Prefix = "sluice-frag-";
    private const string FileSuffix = ".frag";

    // The number of digits in a file's name; FragOptions limits the number of files accordingly.
    private const int Digits = 7;

    private readonly OwnedFolder _folder;

    private FragFolder(OwnedFolder folder) => _folder = folder;

    public string FullPath => _folder.FullPath;

    private string LockPath => _folder.LockPath;

    public static FragFolder Create(string parent) => new(OwnedFolder.Create(parent, Prefix));

    /// <summary>Returns the folders of earlier runs.</summary>
    public static IReadOnlyList<string> Find(string parent) => [.. OwnedFolder.Find(parent, Prefix)];

    /// <exception cref="IOException">The run that created the folder is active, or it is not known whether it is.</exception>
    public static FragFolder Take(string folder) => new(OwnedFolder.Take(folder, Prefix));

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
    public bool CanMap()
    {
        try
        {
            using SluiceHandle handle = SluiceHandle.FromSafeFileHandle(_folder.LockHandle, FileAccess.ReadWrite, ownsHandle: false);
            handle.GetExtents();
            return true;
        }
        catch (PlatformNotSupportedException)
        {
            return false;
        }
    }

    /// <summary>Makes the file system write pending changes.</summary>
    public void FlushToDisk() => _folder.FlushToDisk();

    public void Dispose() => _folder.Dispose();

    /// <summary>
    /// Deletes the files and directories of the run, and its lock file last, so that a folder that remains after a kill is still
    /// recognized.
    /// </summary>
    /// <returns>True if the folder contains other entries, and it and they stay.</returns>
    public bool Remove()
    {
        bool strangers = RemoveFrom(new DirectoryInfo(FullPath), isRoot: true);
        if (strangers)
            return true;
        _folder.Dispose();
        File.Delete(LockPath);
        Directory.Delete(FullPath);
        return false;
    }

    private bool RemoveFrom(DirectoryInfo directory, bool isRoot)
    {
        bool strangers = false;
        foreach (FileSystemInfo entry in directory.EnumerateFileSystemInfos().ToArray())
        {
            if (isRoot && entry.FullName == Path.GetFullPath(LockPath))
                continue;
            if (entry.LinkTarget is null && entry is FileInfo && IsOurFile(entry.Name))
                entry.Delete();
            else if (entry.LinkTarget is null && entry is DirectoryInfo child && entry.Name.All(char.IsAsciiDigit))
                strangers |= RemoveFrom(child, isRoot: false);
            else
                strangers = true;
        }
        if (!isRoot && !strangers)
            directory.Delete();
        return strangers;
    }

    private static bool IsOurFile(string name) =>
        name.Length == Digits + FileSuffix.Length && name.EndsWith(FileSuffix, StringComparison.Ordinal)
        && name.AsSpan(0, Digits).IndexOfAnyExceptInRange('0', '9') < 0;
}
