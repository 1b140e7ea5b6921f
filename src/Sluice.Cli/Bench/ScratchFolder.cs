using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench;

/// <summary>A folder of one run, which is removed at its end. Folders of killed runs are distinguished from those of active runs.</summary>
internal sealed class ScratchFolder : IDisposable
{
    public const string Prefix = "sluice-bench-";

    private readonly OwnedFolder _folder;
    private readonly Action<string> _tellAtEnd;
    private bool _isDisposed;

    private ScratchFolder(OwnedFolder folder, Action<string> tellAtEnd) => (_folder, _tellAtEnd) = (folder, tellAtEnd);

    public string FullPath => _folder.FullPath;

    /// <param name="tellAtEnd">Called with the reason if the folder cannot be removed.</param>
    /// <exception cref="IOException">The parent does not exist, or no folder can be created in it.</exception>
    public static ScratchFolder Create(string parent, Action<string> tellAtEnd) => new(OwnedFolder.Create(parent, Prefix), tellAtEnd);

    /// <summary>Removes the folders of runs that were killed. Folders that are in use or belong to other users stay.</summary>
    /// <returns>The paths of the removed folders.</returns>
    public static IReadOnlyList<string> RemoveLeftovers(string parent)
    {
        var removed = new List<string>();
        foreach (string folder in OwnedFolder.Find(parent, Prefix).ToArray())
        {
            try
            {
                // Take throws an exception if the run that created the folder is active.
                Remove(OwnedFolder.Take(folder, Prefix));
                removed.Add(folder);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                // The folder is in use, or belongs to another user.
            }
        }
        return removed;
    }

    /// <summary>Removes the folder. An error is reported and not thrown, because an exception would lose the results of the run.</summary>
    public void Dispose()
    {
        if (_isDisposed)
            return;
        _isDisposed = true;
        try
        {
            Remove(_folder);
        }
        catch (DirectoryNotFoundException)
        {
            // The folder is already gone.
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            _tellAtEnd($"{FullPath} stays: {ErrorText.Of(e)}");
        }
    }

    private static void Remove(OwnedFolder folder)
    {
        using (folder)
            ImageVolume.UnmountAll(folder.FullPath);
        Directory.Delete(folder.FullPath, recursive: true);
    }
}
