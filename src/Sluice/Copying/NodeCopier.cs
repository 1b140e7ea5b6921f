using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// Creates entries that have no content to copy: symbolic links, further hard links, FIFOs, sockets and devices. An existing entry stays
/// until its replacement is complete. Thread-safe.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class NodeCopier(CopyOptions options, CopyFailures failures)
{
    /// <summary>
    /// Copies a symbolic link. Returns false if the existing entry is unchanged and was kept (<see cref="CopyOptions.SkipUnchanged"/>).
    /// </summary>
    /// <param name="from">The link.</param>
    /// <param name="to">The copy.</param>
    /// <param name="mayExist">True if an entry may already exist at the target.</param>
    public bool CopyLink(in NodePath from, in NodePath to, bool mayExist)
    {
        byte[]? content = NodeCalls.ReadSymbolicLink(from, out int errno);
        if (content is null)
        {
            throw PathErrors.Create(errno, "Reading the link", from.Text);
        }

        ThrowIfSame(from, to);
        return Make(path => IsLinkThere(content, path), from, to, "Making the link",
            path => NodeCalls.MakeSymbolicLink(content, path), options.PreserveMetadata, mayExist);
    }

    /// <inheritdoc cref="CopyLink"/>
    public bool MakeNode(in NodePath from, in NodePath to, in Statx stat, bool mayExist)
    {
        Statx like = stat;
        return Make(path => IsNodeThere(like, path), from, to, $"Making the {NodeCalls.KindOf(stat)}",
            path => NodeCalls.MakeNode(path, like), options.PreserveMetadata, mayExist);
    }

    /// <summary>
    /// Creates another hard link to a file that was copied. Returns false if the existing entry is unchanged and was kept.
    /// </summary>
    /// <param name="copied">A name of the copied file.</param>
    /// <param name="copy">The state of the copied file, because its name may refer to another file now.</param>
    /// <param name="to">The new name.</param>
    /// <param name="mayExist">True if an entry may already exist at the target.</param>
    /// <exception cref="IOException">The name refers to another file, or the link could not be created.</exception>
    public bool AddHardLink(in NodePath copied, in Statx copy, in NodePath to, bool mayExist)
    {
        (NodePath first, Statx made) = (copied, copy);
        using Descriptor held = new(PathCalls.Open(copied, PathCalls.PathOnly | PathCalls.NoFollowFlag));
        int fd = held.Fd;
        PathErrors.ThrowIfFailed(fd, "Looking at the copy", copied.Text);
        PathErrors.ThrowIfFailed(Libc.Stat(fd, StatxMask.BasicStats, out Statx there), "Looking at the copy", copied.Text);
        if (!there.IsSame(copy))
        {
            throw new IOException($"Linking '{to.Text}' failed: '{copied.Text}' was replaced in the meantime.");
        }

        return Make(IsUnchanged, copied, to, "Linking", Link, hasMetadata: false, mayExist);

        bool IsUnchanged(NodePath path) =>
            NodeCalls.Stat(path, followsLinks: false, StatxMask.BasicStats, out Statx other) == 0 && other.IsSame(made);

        // Links the open descriptor, because the name may refer to another file now. The name is used only if there is no /proc. A file
        // without any name left cannot be linked (ENOENT); its former name then belongs to another file.
        int Link(NodePath path)
        {
            int result = NodeCalls.LinkOpened(fd, path);
            bool isNamed = Libc.Stat(fd, StatxMask.BasicStats, out Statx now) == 0 && now.NLink > 0;
            return result == -Errno.ENOENT && isNamed ? NodeCalls.Link(first, path) : result;
        }
    }

    private bool Make(
        Func<NodePath, bool> isSame, in NodePath from, in NodePath to, string verb, Func<NodePath, int> make, bool hasMetadata,
        bool mayExist)
    {
        int result = make(to);
        if (result == -Errno.EEXIST && mayExist)
        {
            if (options.SkipUnchanged && isSame(to))
            {
                return false;
            }

            result = options.Overwrite ? Replace(from, to, make, hasMetadata) : result;
        }
        else if (result == 0 && hasMetadata)
        {
            Preserve(from, to);
        }

        if (result < 0)
        {
            // An existing directory is never replaced.
            throw PathErrors.Create(result == -Errno.EEXIST && IsFolder(to) ? -Errno.EISDIR : result, verb, to.Text);
        }

        return true;
    }

    /// <summary>
    /// Creates the entry under a temporary name and renames it over the existing one. If this fails or the process is killed, the existing
    /// entry stays.
    /// </summary>
    private int Replace(in NodePath from, in NodePath to, Func<NodePath, int> make, bool hasMetadata)
    {
        NodePath made = TemporaryName.Random(to);
        int result = make(made);
        if (result == 0 && hasMetadata)
        {
            Preserve(from, made);
        }

        if (result == 0)
        {
            result = NodeCalls.Rename(made, to);

            // rename(2) keeps both names if they are links to the same file.
            _ = NodeCalls.Unlink(made); // The result of the rename is reported.
        }

        return result;
    }

    private static bool IsFolder(in NodePath path) =>
        NodeCalls.Stat(path, followsLinks: false, StatxMask.BasicStats, out Statx there) == 0
        && (there.Mode & Statx.TypeMask) == Statx.TypeDirectory;

    private static bool IsLinkThere(byte[] content, in NodePath to) =>
        NodeCalls.ReadSymbolicLink(to, out _) is { } there && there.AsSpan().SequenceEqual(content);

    private static bool IsNodeThere(in Statx from, in NodePath to) =>
        NodeCalls.Stat(to, followsLinks: false, StatxMask.BasicStats, out Statx there) == 0
        && (there.Mode & Statx.TypeMask) == (from.Mode & Statx.TypeMask)
        && !there.IsSame(from)
        && (there.RdevMajor, there.RdevMinor) == (from.RdevMajor, from.RdevMinor);

    /// <summary>
    /// Sets the metadata of the new entry, or removes the entry. Uses descriptors, so that links are not followed, nodes are not opened,
    /// and an entry that has been put in its place is not changed.
    /// </summary>
    private void Preserve(in NodePath source, in NodePath made)
    {
        const int flags = PathCalls.PathOnly;
        using Descriptor from = new(PathCalls.Open(source, flags | PathCalls.NoFollowFlag));
        using Descriptor to = new(PathCalls.Open(made, flags | PathCalls.NoFollowFlag));
        try
        {
            PathErrors.ThrowIfFailed(from.Fd, "Looking at the source", source.Text);
            PathErrors.ThrowIfFailed(to.Fd, "Looking at", made.Text);
            PathErrors.ThrowIfFailed(Libc.Stat(from.Fd, StatxMask.BasicStats, out Statx stat), "Looking at the source", source.Text);
            PathErrors.ThrowIfFailed(Libc.Stat(to.Fd, StatxMask.BasicStats, out Statx there), "Looking at", made.Text);
            if ((stat.Mode & Statx.TypeMask) != (there.Mode & Statx.TypeMask)
                || (stat.RdevMajor, stat.RdevMinor) != (there.RdevMajor, there.RdevMinor)
                || there.NLink != 1)
            {
                throw new IOException($"Copying '{source.Text}' to '{made.Text}' failed: one of them was replaced in the meantime.");
            }

            Exception? refused = NodeMetadata.Preserve(from.Fd, stat, to.Fd, there, made.Text);
            Exception? untimed = NodeMetadata.SetTimes(to.Fd, stat, made.Text);
            failures.AddRefusal(source.Text, refused ?? untimed);
        }
        catch
        {
            if (to.Fd >= 0 && TemporaryName.LeadsTo(made, to.Fd))
            {
                _ = NodeCalls.Unlink(made); // The first error is reported.
            }

            throw;
        }
    }

    /// <summary>Throws an exception if a link would replace itself or its target.</summary>
    private static void ThrowIfSame(in NodePath from, in NodePath to)
    {
        if (NodeCalls.Stat(to, followsLinks: false, StatxMask.BasicStats, out Statx there) < 0)
        {
            return;
        }

        bool isLink = NodeCalls.Stat(from, followsLinks: false, StatxMask.BasicStats, out Statx link) == 0 && link.IsSame(there);
        if (isLink || (NodeCalls.Stat(from, followsLinks: true, StatxMask.BasicStats, out Statx led) == 0 && led.IsSame(there)))
        {
            throw new IOException($"'{from.Text}' and '{to.Text}' are the same file.");
        }
    }
}
