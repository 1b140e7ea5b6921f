using System.Runtime.Versioning;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// Opens the directories of a tree by their paths relative to its root. The paths are bytes of any length, and symbolic links are never
/// followed, even if the tree changes concurrently. Thread-safe.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class TreeRoot(int fd, string text) : IDisposable
{
    /// <summary>
    /// The maximum length of a path that is passed to the kernel, which accepts 4095 bytes. Longer paths are opened in pieces.
    /// </summary>
    private const int MaxBytes = 4000;

    // True until the kernel has refused openat2(2) with RESOLVE_NO_SYMLINKS.
    private static volatile bool s_refusesLinks = true;

    public static int FolderFlags => PathCalls.ReadOnly | PathCalls.DirectoryFlag | PathCalls.NoFollowFlag;

    /// <summary>Gets the descriptor of the root, which is open until this object is disposed.</summary>
    public int Descriptor => fd;

    /// <summary>Returns the path of a directory as text, for messages.</summary>
    public string Text(TreePath folder) => folder.IsRoot ? text : Path.Join(text, NodePath.Decode(folder.ToBytes()));

    public int Stat(out Statx stat) => Libc.Stat(fd, StatxMask.BasicStats, out stat);

    /// <summary>Opens a directory. Returns a descriptor or a negative errno.</summary>
    public int Open(TreePath folder) => Open(folder.ToBytes());

    /// <inheritdoc cref="Open(TreePath)"/>
    /// <param name="relative">The path relative to the root, without a slash at either end. It is empty for the root.</param>
    public int Open(ReadOnlySpan<byte> relative)
    {
        if (relative.IsEmpty)
        {
            return PathCalls.OpenAt(fd, ".\0"u8, FolderFlags);
        }

        int at = fd;
        while (true)
        {
            int length = PieceOf(relative);
            bool isLast = length == relative.Length;
            int next = OpenPiece(at, relative[..length], isLast ? FolderFlags : FolderFlags | PathCalls.PathOnly);
            if (next is -Errno.ENOSYS or -Errno.EPERM && s_refusesLinks)
            {
                s_refusesLinks = false;
                continue;
            }

            if (at != fd)
            {
                PathCalls.Close(at);
            }

            if (next < 0 || isLast)
            {
                return next;
            }

            at = next;
            relative = relative[(length + 1)..];
        }
    }

    /// <summary>
    /// Opens the parent of a directory that is not the root. Returns a descriptor or a negative errno, and the name of the directory with a
    /// terminating NUL.
    /// </summary>
    public int OpenParent(TreePath folder, out byte[] name)
    {
        name = [.. folder.Name, 0];
        return Open(folder.Above);
    }

    public void Dispose() => PathCalls.Close(fd);

    private static int OpenPiece(int at, ReadOnlySpan<byte> piece, int flags)
    {
        byte[] path = [.. piece, 0];
        return s_refusesLinks ? PathCalls.OpenNoLinks(at, path, flags) : PathCalls.OpenAt(at, path, flags);
    }

    /// <summary>Returns the length of the next piece: a single name if the kernel does not support RESOLVE_NO_SYMLINKS.</summary>
    private static int PieceOf(ReadOnlySpan<byte> relative)
    {
        if (!s_refusesLinks)
        {
            int first = relative.IndexOf((byte)'/');
            return first < 0 ? relative.Length : first;
        }

        return relative.Length <= MaxBytes ? relative.Length : relative[..MaxBytes].LastIndexOf((byte)'/');
    }
}
