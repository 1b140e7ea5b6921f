using System.Runtime.Versioning;
using System.Text;
using Sluice.Errors;
using Sluice.Interop;
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
    /// <summary>Removes them from one folder; nothing else works in it meanwhile.</summary>
    /// <exception cref="IOException">An entry cannot be removed.</exception>
    public static void Remove(DirectoryReader source, string folder)
    {
        DirectoryReader? reader = DirectoryReader.TryOpen(folder, out int errno);
        if (reader is null)
        {
            throw PathErrors.Create(errno, "Opening the folder", folder);
        }

        try
        {
            foreach (byte[] name in Names(reader))
            {
                if (reader.Stat(name, StatxMask.Type, out Statx there) < 0)
                {
                    continue;
                }

                int result = source.Stat(name, StatxMask.Type, out Statx original);
                if (result == -Errno.ENOENT || (result == 0 && IsFolder(original) != IsFolder(there)))
                {
                    Remove(Path.Join(folder, Encoding.UTF8.GetString(name.AsSpan(0, name.Length - 1))), IsFolder(there));
                }
            }
        }
        finally
        {
            reader.Release();
        }
    }

    private static List<byte[]> Names(DirectoryReader reader)
    {
        List<byte[]> names = [];
        while (reader.Refill() > 0)
        {
            while (reader.TryNext(out ReadOnlySpan<byte> name, out _))
            {
                names.Add([.. name, 0]);
            }
        }

        return names;
    }

    private static bool IsFolder(in Statx stat) => (stat.Mode & Statx.TypeMask) == Statx.TypeDirectory;

    private static void Remove(string path, bool isFolder)
    {
        if (isFolder)
        {
            Directory.Delete(path, recursive: true);
            return;
        }

        PathErrors.ThrowIfFailed(NodeCalls.Unlink(PathCalls.ToKernel(path)), "Removing what an earlier copy left,", path);
    }
}
