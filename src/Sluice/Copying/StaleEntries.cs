using System.Runtime.Versioning;
using Sluice.Enumeration;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// What an earlier copy of a tree left that its source has not, or has as something else: of another version of the source, or under
/// the temporary name of a copy that was killed.
/// </summary>
[SupportedOSPlatform("linux")]
internal static class StaleEntries
{
    /// <summary>Makes a folder of an earlier copy ready to go on in, and tells what is left there; closes both if that fails.</summary>
    public static LeftNames GoOnIn(DirectoryReader from, int toFd, string to)
    {
        try
        {
            // That copy may have come to the folder's own mode, which may keep us out, and to its owner, who may be in it.
            PathErrors.ThrowIfFailed(TemporaryFolder.TakeBack(toFd), "Setting the permissions of", to);
            return Remove(from, toFd, to);
        }
        catch
        {
            from.Release();
            PathCalls.Close(toFd);
            throw;
        }
    }

    /// <summary>Removes them from one folder; nothing else works in it meanwhile.</summary>
    /// <param name="source">The source's folder.</param>
    /// <param name="folderFd">The copy's folder, open.</param>
    /// <param name="text">Its path, for people.</param>
    /// <returns>What stays.</returns>
    /// <exception cref="IOException">An entry cannot be removed.</exception>
    private static LeftNames Remove(DirectoryReader source, int folderFd, string text)
    {
        int fd = PathCalls.OpenAt(folderFd, ".\0"u8, TreeRoot.FolderFlags);
        PathErrors.ThrowIfFailed(fd, "Opening the folder", text);
        DirectoryReader reader = DirectoryReader.Of(fd);
        LeftNames left = new();
        try
        {
            PathErrors.ThrowIfFailed(reader.ReadNames(out List<byte[]> names), "Reading the folder", text);
            foreach (byte[] name in names)
            {
                if (reader.Stat(name, StatxMask.Type, out Statx there) < 0)
                {
                    continue;
                }

                int result = source.Stat(name, StatxMask.Type, out Statx original);
                if (result == -Errno.ENOENT || (result == 0 && IsFolder(original) != IsFolder(there)))
                {
                    NodePath stale = NodePath.In(fd, name, text);
                    int removed = IsFolder(there) ? TreeRemoval.Remove(stale) : NodeCalls.Unlink(stale);
                    PathErrors.ThrowIfFailed(removed, "Removing what an earlier copy left,", stale.Text);
                }
                else
                {
                    left.Add(name);
                }
            }

            return left;
        }
        finally
        {
            reader.Release();
        }
    }

    private static bool IsFolder(in Statx stat) => (stat.Mode & Statx.TypeMask) == Statx.TypeDirectory;
}
