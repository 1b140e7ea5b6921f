using System.Security.Cryptography;
using Sluice.Cli.Terminal;
using Microsoft.Win32.SafeHandles;
using Sluice.Diagnostics;

namespace Sluice.Cli.Bench;

/// <summary>
/// A folder that the tool made, known by its name and by the lock file inside: the name alone could be a user's. While the lock
/// is held, the run that made the folder is alive.
/// </summary>
internal sealed class OwnedFolder : IDisposable
{
    private const int SuffixLength = 8;

    // Where locks tell nothing, a folder that nobody has touched for so long is one whose run was killed.
    private static readonly TimeSpan Abandoned = TimeSpan.FromDays(1);

    private readonly FileStream _lock;

    private OwnedFolder(string path, string lockPath, FileStream lockFile)
    {
        FullPath = path;
        LockPath = lockPath;
        _lock = lockFile;
    }

    public string FullPath { get; }

    public string LockPath { get; }

    /// <summary>The lock file, which no one else can open.</summary>
    public SafeFileHandle LockHandle => _lock.SafeFileHandle;

    /// <exception cref="IOException">The parent does not exist or nothing can be made in it.</exception>
    public static OwnedFolder Create(string parent, string prefix)
    {
        // Or it would be made too, and left.
        FolderArgument.Require(parent);
        string path = Path.Combine(parent, prefix + RandomNumberGenerator.GetHexString(SuffixLength, lowercase: true));
        Directory.CreateDirectory(path);
        try
        {
            string lockPath = Path.Combine(path, LockName(prefix));
            return new OwnedFolder(path, lockPath, MakeLocked(lockPath));
        }
        catch
        {
            Directory.Delete(path, recursive: true);
            throw;
        }
    }

    /// <summary>
    /// The tool's folders in a folder, whether their runs are alive or not; not those of another user, who could exchange what is in them
    /// for links while it is removed.
    /// </summary>
    public static IEnumerable<string> Find(string parent, string prefix) =>
        Directory.EnumerateDirectories(parent, prefix + "*").Where(folder => IsOurs(folder, prefix));

    /// <summary>Takes over a folder whose run has ended.</summary>
    /// <exception cref="IOException">The run is alive, or may be.</exception>
    /// <exception cref="UnauthorizedAccessException">The folder is someone else's.</exception>
    public static OwnedFolder Take(string folder, string prefix)
    {
        string lockPath = Path.Combine(folder, LockName(prefix));
        var taken = new OwnedFolder(folder, lockPath, OpenLocked(lockPath, FileMode.Open));
        try
        {
            if (!KeepsOthersOut(lockPath) && IsTouchedLately(folder))
                throw new IOException($"{folder} was touched within a day, and no lock tells here whether its run is alive");
            return taken;
        }
        catch
        {
            taken.Dispose();
            throw;
        }
    }

    /// <summary>Flushes the lock file, with which journalling file systems write down all that happened before.</summary>
    public void FlushToDisk()
    {
        _lock.WriteByte(0);
        _lock.Position = 0;
        _lock.Flush(flushToDisk: true);
    }

    /// <summary>Gives the lock back; the folder stays.</summary>
    public void Dispose() => _lock.Dispose();

    /// <summary>Locked before it has the name by which others know it. On Windows opening locks, and what is open keeps its name.</summary>
    private static FileStream MakeLocked(string lockPath)
    {
        if (OperatingSystem.IsWindows())
            return OpenLocked(lockPath, FileMode.CreateNew);
        string unknown = lockPath + ".new";
        FileStream locked = OpenLocked(unknown, FileMode.CreateNew);
        try
        {
            File.Move(unknown, lockPath, overwrite: true);
            return locked;
        }
        catch
        {
            locked.Dispose();
            throw;
        }
    }

    private static FileStream OpenLocked(string path, FileMode mode) => new(path, mode, FileAccess.ReadWrite, FileShare.None);

    /// <summary>Whether others cannot open what is locked here: some file systems have no locks, and .NET can do without.</summary>
    private static bool KeepsOthersOut(string lockedPath)
    {
        try
        {
            OpenLocked(lockedPath, FileMode.Open).Dispose();
            return false;
        }
        catch (IOException)
        {
            return true;
        }
    }

    private static bool IsTouchedLately(string folder) =>
        Directory.EnumerateFileSystemEntries(folder, "*", SearchOption.AllDirectories).Prepend(folder)
            .Any(entry => File.GetLastWriteTimeUtc(entry) > DateTime.UtcNow - Abandoned);

    private static string LockName(string prefix) => prefix.TrimEnd('-') + ".lock";

    private static bool IsOurs(string folder, string prefix)
    {
        string suffix = Path.GetFileName(folder)[prefix.Length..];
        return suffix.Length == SuffixLength && suffix.All(char.IsAsciiHexDigitLower)
            && File.Exists(Path.Combine(folder, LockName(prefix))) && new FileInfo(folder).LinkTarget is null
            && PathKinds.IsOwn(folder);
    }
}
