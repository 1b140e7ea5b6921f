using System.Runtime.Versioning;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// The folders of a tree by their paths from its root: byte for byte, of any length, and never through a link, whatever others do to
/// the tree meanwhile. Thread-safe.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class TreeRoot(int fd, string text) : IDisposable
{
    /// <summary>The kernel takes paths of up to 4095 bytes; longer ones are walked in pieces.</summary>
    private const int MaxBytes = 4000;

    // Whether the kernel refuses links by itself (openat2); learnt by trying.
    private static volatile bool s_refusesLinks = true;

    public static int FolderFlags => PathCalls.ReadOnly | PathCalls.DirectoryFlag | PathCalls.NoFollowFlag;

    /// <summary>The root itself, open until this is disposed of.</summary>
    public int Descriptor => fd;

    /// <summary>A folder's path for people.</summary>
    public string Text(TreePath folder) => folder.IsRoot ? text : Path.Join(text, NodePath.Decode(folder.ToBytes()));

    public int Stat(out Statx stat) => Libc.Stat(fd, StatxMask.BasicStats, out stat);

    /// <summary>A folder, opened anew, or a negative errno.</summary>
    public int Open(TreePath folder) => Open(folder.ToBytes());

    /// <inheritdoc cref="Open(TreePath)"/>
    /// <param name="relative">Its path from the root, without a slash at either end; empty for the root.</param>
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
    /// The folder above one that is not the root, opened anew, or a negative errno; and the name of that one in it, ended by a NUL.
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

    /// <summary>As much as the kernel takes at once: one name where it would follow links on the way.</summary>
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
