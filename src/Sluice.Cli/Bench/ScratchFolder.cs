using System.Security.Cryptography;

namespace Sluice.Cli.Bench;

/// <summary>
/// A folder of one run's own. A lock on a file inside shows that the run is alive, so that what a killed run left behind can
/// be told from what a parallel run is using.
/// </summary>
internal sealed class ScratchFolder : IDisposable
{
    public const string Prefix = "sluice-bench-";
    private const string LockName = "sluice-bench.lock";
    private const int SuffixLength = 8;

    private readonly FileStream _lock;

    private ScratchFolder(string path, FileStream lockFile)
    {
        FullPath = path;
        _lock = lockFile;
    }

    public string FullPath { get; }

    /// <exception cref="IOException">The parent does not exist or nothing can be made in it.</exception>
    public static ScratchFolder Create(string parent)
    {
        string path = Path.Combine(parent, Prefix + RandomNumberGenerator.GetHexString(SuffixLength, lowercase: true));
        Directory.CreateDirectory(path);
        try
        {
            return new ScratchFolder(path,
                new FileStream(Path.Combine(path, LockName), FileMode.CreateNew, FileAccess.ReadWrite, FileShare.None));
        }
        catch
        {
            Directory.Delete(path, recursive: true);
            throw;
        }
    }

    /// <summary>Removes the folders of runs that were killed.</summary>
    /// <returns>What was removed.</returns>
    public static IReadOnlyList<string> RemoveLeftovers(string parent)
    {
        var removed = new List<string>();
        foreach (string folder in Directory.EnumerateDirectories(parent, Prefix + "*"))
        {
            if (!IsOurs(folder))
                continue;
            try
            {
                // Throws while the run that made it is alive.
                using (new FileStream(Path.Combine(folder, LockName), FileMode.Open, FileAccess.ReadWrite, FileShare.None))
                {
                }
                Directory.Delete(folder, recursive: true);
                removed.Add(folder);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                // In use, or someone else's: both stay.
            }
        }
        return removed;
    }

    public void Dispose()
    {
        _lock.Dispose();
        try
        {
            Directory.Delete(FullPath, recursive: true);
        }
        catch (DirectoryNotFoundException)
        {
            // Someone tidied up already.
        }
    }

    // The name alone could be a user's; a folder without our lock file is left alone.
    private static bool IsOurs(string folder)
    {
        string suffix = Path.GetFileName(folder)[Prefix.Length..];
        return suffix.Length == SuffixLength && suffix.All(char.IsAsciiHexDigitLower) && File.Exists(Path.Combine(folder, LockName))
            && new FileInfo(folder).LinkTarget is null;
    }
}
