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

    private readonly FileStream _lock;

    private OwnedFolder(string path, FileStream lockFile)
    {
        FullPath = path;
        _lock = lockFile;
    }

    public string FullPath { get; }

    public string LockPath => _lock.Name;

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
            return new OwnedFolder(path,
                new FileStream(Path.Combine(path, LockName(prefix)), FileMode.CreateNew, FileAccess.ReadWrite, FileShare.None));
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
    /// <exception cref="IOException">The run is alive.</exception>
    /// <exception cref="UnauthorizedAccessException">The folder is someone else's.</exception>
    public static OwnedFolder Take(string folder, string prefix) => new(folder,
        new FileStream(Path.Combine(folder, LockName(prefix)), FileMode.Open, FileAccess.ReadWrite, FileShare.None));

    /// <summary>Flushes the lock file, with which journalling file systems write down all that happened before.</summary>
    public void FlushToDisk()
    {
        _lock.WriteByte(0);
        _lock.Position = 0;
        _lock.Flush(flushToDisk: true);
    }

    /// <summary>Gives the lock back; the folder stays.</summary>
    public void Dispose() => _lock.Dispose();

    private static string LockName(string prefix) => prefix.TrimEnd('-') + ".lock";

    private static bool IsOurs(string folder, string prefix)
    {
        string suffix = Path.GetFileName(folder)[prefix.Length..];
        return suffix.Length == SuffixLength && suffix.All(char.IsAsciiHexDigitLower)
            && File.Exists(Path.Combine(folder, LockName(prefix))) && new FileInfo(folder).LinkTarget is null
            && PathKinds.IsOwn(folder);
    }
}
