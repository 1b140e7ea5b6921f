using System.Security.Cryptography;
using Microsoft.Win32.SafeHandles;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Bench;

/// <summary>
/// A folder that the tool has created, recognized by its name and by the lock file in it, since a user's folder could have the same name.
/// While the lock is held, the run that created the folder is active.
/// </summary>
internal sealed class OwnedFolder : IDisposable
{
    private const int SuffixLength = 8;

    private readonly FileStream _lock;

    private OwnedFolder(string path, string lockPath, FileStream lockFile)
    {
        FullPath = path;
        LockPath = lockPath;
        _lock = lockFile;
    }

    public string FullPath { get; }

    public string LockPath { get; }

    /// <summary>The lock file, which no other process can open.</summary>
    public SafeFileHandle LockHandle => _lock.SafeFileHandle;

    /// <exception cref="IOException">The parent does not exist, or no folder can be created in it.</exception>
    public static OwnedFolder Create(string parent, string prefix)
    {
        // Without this check, CreateDirectory would also create the parent, which would remain.
        PathArgument.RequireFolder(parent);
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
    /// Returns the tool's folders in a folder, of active and of ended runs. Folders of other users are left out, because their owners could
    /// replace the content by links during the removal.
    /// </summary>
    public static IEnumerable<string> Find(string parent, string prefix) =>
        Directory.EnumerateDirectories(parent, prefix + "*").Where(folder => IsOurs(folder, prefix));

    /// <summary>Takes over a folder whose run has ended.</summary>
    /// <exception cref="IOException">The run is active, or it is not known whether it is.</exception>
    /// <exception cref="UnauthorizedAccessException">The folder belongs to another user.</exception>
    public static OwnedFolder Take(string folder, string prefix)
    {
        string lockPath = Path.Combine(folder, LockName(prefix));
        var taken = new OwnedFolder(folder, lockPath, OpenLocked(lockPath, FileMode.Open));
        try
        {
            if (!KeepsOthersOut(lockPath))
                throw new IOException($"{folder}: locks have no effect here, so it is not known whether its run is active");
            return taken;
        }
        catch
        {
            taken.Dispose();
            throw;
        }
    }

    /// <summary>Flushes the lock file, which makes a journaling file system write all earlier changes.</summary>
    public void FlushToDisk()
    {
        _lock.WriteByte(0);
        _lock.Position = 0;
        _lock.Flush(flushToDisk: true);
    }

    /// <summary>Releases the lock. The folder stays.</summary>
    public void Dispose() => _lock.Dispose();

    /// <summary>
    /// Creates the lock file under a temporary name, locks it, and renames it to the name that other runs look for. On Windows, the file is
    /// created under its final name: opening it locks it, and an open file cannot be renamed.
    /// </summary>
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

    /// <summary>
    /// Returns true if other processes cannot open a locked file. Some file systems have no locks, and .NET can be configured to use none.
    /// </summary>
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

    private static string LockName(string prefix) => prefix.TrimEnd('-') + ".lock";

    private static bool IsOurs(string folder, string prefix)
    {
        string suffix = Path.GetFileName(folder)[prefix.Length..];
        return suffix.Length == SuffixLength && suffix.All(char.IsAsciiHexDigitLower)
            && File.Exists(Path.Combine(folder, LockName(prefix))) && new FileInfo(folder).LinkTarget is null
            && PathKinds.IsOwn(folder);
    }
}
