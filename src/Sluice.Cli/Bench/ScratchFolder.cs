namespace Sluice.Cli.Bench;

/// <summary>
/// A folder of one run's own, removed at its end. What a killed run left behind is told from what a parallel run is using.
/// </summary>
internal sealed class ScratchFolder : IDisposable
{
    public const string Prefix = "sluice-bench-";

    private readonly OwnedFolder _folder;

    private ScratchFolder(OwnedFolder folder) => _folder = folder;

    public string FullPath => _folder.FullPath;

    /// <exception cref="IOException">The parent does not exist or nothing can be made in it.</exception>
    public static ScratchFolder Create(string parent) => new(OwnedFolder.Create(parent, Prefix));

    /// <summary>Removes the folders of runs that were killed.</summary>
    /// <returns>What was removed.</returns>
    public static IReadOnlyList<string> RemoveLeftovers(string parent)
    {
        var removed = new List<string>();
        foreach (string folder in OwnedFolder.Find(parent, Prefix).ToArray())
        {
            try
            {
                // Throws while the run that made it is alive.
                OwnedFolder.Take(folder, Prefix).Dispose();
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
        _folder.Dispose();
        try
        {
            Directory.Delete(FullPath, recursive: true);
        }
        catch (DirectoryNotFoundException)
        {
            // Someone tidied up already.
        }
    }
}
