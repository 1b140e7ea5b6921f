using System.Buffers.Binary;
using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Handles;

/// <summary>
/// Copies owner, access control lists, extended attributes, permissions and times from one open node to another, without giving any user
/// more access than before. The descriptors may be opened with O_PATH.
/// </summary>
[SupportedOSPlatform("linux")]
internal static class NodeMetadata
{
    private const uint SetUser = 0x800;
    private const uint SetGroup = ModeBits.SetGroup;
    private const uint GroupBits = 0x38;
    private const uint OtherBits = 0x07;
    private const int GroupShift = 3;

    /// <summary>
    /// The free space from which an ENOSPC is attributed to the size of the attribute and not to a full disk, in bytes. Not measured.
    /// </summary>
    private const long MinRoomBytes = 16 << 20;

    // struct posix_acl_xattr_header, followed by one struct posix_acl_xattr_entry (tag, permissions, ID) for each entry.
    private const int ListHeaderBytes = 4;
    private const int ListEntryBytes = 8;
    private const ushort ListUser = 0x02;
    private const ushort ListOwnGroup = 0x04;
    private const ushort ListGroup = 0x08;
    private const ushort ListMask = 0x10;
    private const ushort ListOthers = 0x20;

    private static ReadOnlySpan<byte> AccessList => "system.posix_acl_access\0"u8;

    private static ReadOnlySpan<byte> Capabilities => "security.capability\0"u8;

    private static ReadOnlySpan<byte> DefaultList => "system.posix_acl_default\0"u8;

    /// <summary>
    /// Copies all metadata except the times, as cp -a does, as far as the user is permitted to set it. If an owner or a list cannot be set,
    /// the permissions that depend on it are removed.
    /// </summary>
    /// <returns>The error if the file system refused permissions or an owner (only for root, who may always set it), or null.</returns>
    /// <param name="fromFd">The source.</param>
    /// <param name="from">The state of the source.</param>
    /// <param name="toFd">The target.</param>
    /// <param name="made">The state of the target.</param>
    /// <param name="target">The path of the target, for messages.</param>
    /// <param name="isSameContent">
    /// True if the target has the content of the source. Otherwise, signatures, privileges and the attributes of users (checksums, types,
    /// origins) are not copied, because they may concern the content.
    /// </param>
    /// <param name="reportsOwner">False to ignore a refused owner.</param>
    public static Exception? Preserve(
        int fromFd, in Statx from, int toFd, in Statx made, string target, bool isSameContent = true, bool reportsOwner = true)
    {
        bool hasUser = made.Uid == from.Uid;
        bool hasGroup = made.Gid == from.Gid;
        Exception? refused = null;
        if (!hasUser || !hasGroup)
        {
            int owned = NodeCalls.SetOwner(toFd, from.Uid, from.Gid);
            bool isNotAllowed = owned is -Errno.EPERM or -Errno.EINVAL && NodeCalls.EffectiveUser != 0;
            refused = isNotAllowed || !reportsOwner ? null : Refusal(owned, "Keeping the owner of", target);
            hasUser |= owned == 0;
            hasGroup |= owned == 0 || NodeCalls.SetOwner(toFd, NodeCalls.Unchanged, from.Gid) == 0;
        }

        CopyAttributes(fromFd, toFd, isSameContent: hasUser && isSameContent, target, includesUserAttributes: isSameContent);
        if ((from.Mode & Statx.TypeMask) != Statx.TypeLink)
        {
            uint mode = from.Mode & ModeBits.All & (hasUser ? ~0u : ~SetUser) & (hasGroup ? ~0u : ~SetGroup);
            mode = CopyLists(fromFd, toFd, (from.Mode & Statx.TypeMask) == Statx.TypeDirectory, mode, hasGroup, target);
            // On a file system where all files have the same mode, chmod fails with EPERM unless the user owns them.
            int result = NodeCalls.SetMode(toFd, mode);
            result = result == -Errno.EPERM && HasMode(toFd, mode) ? 0 : result;
            refused ??= Refusal(result, "Setting the permissions of", target);
        }

        return refused;
    }

    /// <summary>Sets the times of last access and modification. Returns the error if the file system refuses, or null.</summary>
    public static Exception? SetTimes(int fd, in Statx from, string target) =>
        Refusal(NodeCalls.SetTimes(fd, from), "Setting the times of", target);

    /// <summary>
    /// Copies the metadata of a file that is replaced: owner, lists, attributes, and the specified permissions. Privileges (set-user-ID,
    /// capabilities, signatures) belonged to the old content and are not copied.
    /// </summary>
    public static void Inherit(int oldFd, in Statx old, int toFd, in Statx made, uint mode, bool mustHaveOwner, string target)
    {
        bool hasGroup = made.Gid == old.Gid;
        if (made.Uid != old.Uid || !hasGroup)
        {
            int owned = NodeCalls.SetOwner(toFd, old.Uid, old.Gid);
            PathErrors.ThrowIfFailed(mustHaveOwner ? owned : 0, "Keeping the owner of", target);
            hasGroup |= owned == 0 || NodeCalls.SetOwner(toFd, NodeCalls.Unchanged, old.Gid) == 0;
        }

        CopyAttributes(oldFd, toFd, isSameContent: false, target);
        mode = CopyLists(oldFd, toFd, isFolder: false, mode & ~(SetUser | SetGroup), hasGroup, target);
        // EPERM is ignored if the new file has the mode of the old one: all files of the file system then have the same mode.
        int result = NodeCalls.SetMode(toFd, mode);
        result = result == -Errno.EPERM && HasMode(toFd, old.Mode & ModeBits.All) ? 0 : result;
        PathErrors.ThrowIfFailed(result, "Keeping the permissions of", target);
    }

    /// <summary>
    /// Sets the permissions of a new file. EPERM is ignored, as with File.Copy: the file system determines mode and owner of its files.
    /// Returns any other error, or null.
    /// </summary>
    public static Exception? SetPlainMode(int fd, in Statx made, uint mode, string target) =>
        (made.Mode & ModeBits.All) == mode ? null : Refusal(Allowed(NodeCalls.SetMode(fd, mode)), "Setting the permissions of", target);

    /// <summary>Sets the times of a new file, if permitted.</summary>
    /// <inheritdoc cref="SetPlainMode"/>
    public static Exception? SetPlainTimes(int fd, in Statx from, string target) =>
        Refusal(Allowed(NodeCalls.SetTimes(fd, from)), "Setting the times of", target);

    private static Exception? Refusal(int result, string verb, string target) =>
        result < 0 ? PathErrors.Create(result, verb, target) : null;

    private static int Allowed(int result) => result == -Errno.EPERM ? 0 : result;

    private static bool HasMode(int fd, uint mode) =>
        Libc.Stat(fd, StatxMask.BasicStats, out Statx stat) == 0 && (stat.Mode & ModeBits.All) == mode;

    /// <summary>
    /// Returns the mode for a copy without access control list. With a list, the group bits of the mode are the mask of the list and may
    /// exceed the permissions of the group. If it is unknown whether there is a list, the group gets no more permissions than others.
    /// </summary>
    public static uint PlainMode(int fd, in Statx stat)
    {
        uint mode = stat.Mode & ModeBits.Permissions;
        byte[]? list = AttributeCalls.Get(fd, AccessList, out int errno);
        return list is not null ? WithoutList(mode, list)
            : HasNoList(errno) ? mode
            : mode & ~(GroupBits & ~((mode & OtherBits) << GroupShift));
    }

    /// <summary>
    /// Copies the access control lists and returns the mode that matches the result. Removes lists that the target inherited from its
    /// directory.
    /// </summary>
    private static uint CopyLists(int fromFd, int toFd, bool isFolder, uint mode, bool hasGroup, string target)
    {
        if (isFolder)
        {
            byte[]? defaults = AttributeCalls.Get(fromFd, DefaultList, out int unread);
            if (defaults is null && !HasNoList(unread))
            {
                throw PathErrors.Create(unread, "Reading the default access list for", target);
            }

            if (defaults is null || AttributeCalls.Set(toFd, DefaultList, defaults) < 0)
            {
                RemoveList(toFd, DefaultList, target);
            }
        }

        byte[]? list = AttributeCalls.Get(fromFd, AccessList, out int errno);
        if (list is null && !HasNoList(errno))
        {
            throw PathErrors.Create(errno, "Reading the access list for", target);
        }

        if (list is not null && hasGroup && AttributeCalls.Set(toFd, AccessList, list) == 0)
        {
            return mode;
        }

        RemoveList(toFd, AccessList, target);
        mode = list is null ? mode : WithoutList(mode, list);

        // A group other than that of the source gets no more permissions than others, and others no more than the source's group had.
        uint both = mode & (mode >> GroupShift) & OtherBits;
        return hasGroup ? mode : (mode & ~(GroupBits | OtherBits)) | (both << GroupShift) | both;
    }

    /// <summary>Returns true if an error means that there is no access control list.</summary>
    private static bool HasNoList(int errno) => errno is -Errno.ENODATA or -Errno.EOPNOTSUPP or -Errno.ENOSYS;

    private static void RemoveList(int fd, ReadOnlySpan<byte> list, string target)
    {
        // A list that cannot be read may exist, so it is removed too.
        if (AttributeCalls.Get(fd, list, out int errno) is not null || !HasNoList(errno))
        {
            int result = AttributeCalls.Remove(fd, list);
            PathErrors.ThrowIfFailed(HasNoList(result) ? 0 : result, "Removing the access list of", target);
        }
    }

    /// <summary>
    /// Returns the mode for a file without its access control list. The group gets the permissions that the list gave to the owning group.
    /// Users and groups named in the list then count as group or others, so these get no more permissions than each of the named ones.
    /// </summary>
    internal static uint WithoutList(uint mode, ReadOnlySpan<byte> list)
    {
        uint group = 0;
        uint mask = OtherBits;
        uint users = OtherBits;
        uint groups = OtherBits;
        bool hasNames = false;
        for (int at = ListHeaderBytes; at + ListEntryBytes <= list.Length; at += ListEntryBytes)
        {
            uint permissions = BinaryPrimitives.ReadUInt16LittleEndian(list[(at + 2)..]);
            switch (BinaryPrimitives.ReadUInt16LittleEndian(list[at..]))
            {
                case ListUser:
                    (users, hasNames) = (users & permissions, true);
                    break;
                case ListOwnGroup:
                    group = permissions;
                    break;
                case ListGroup:
                    (groups, hasNames) = (groups & permissions, true);
                    break;
                case ListMask:
                    mask = permissions;
                    break;
                case ListOthers:
                    mode &= ~OtherBits | permissions;
                    break;
            }
        }

        mode &= hasNames ? ~OtherBits | (users & groups & mask) : ~0u;
        return (mode & ~GroupBits) | (mode & ((group & mask & users) << GroupShift));
    }

    /// <summary>
    /// Copies extended attributes. Attributes that the user cannot read, or that the target does not support, are skipped.
    /// </summary>
    /// <param name="fromFd">The source.</param>
    /// <param name="toFd">The target.</param>
    /// <param name="isSameContent">False to leave out privileges and signatures, which are valid for the content of the source.</param>
    /// <param name="target">The path of the target, for messages.</param>
    /// <param name="includesUserAttributes">False to leave out the attributes that users and administrators have set.</param>
    private static void CopyAttributes(int fromFd, int toFd, bool isSameContent, string target, bool includesUserAttributes = true)
    {
        List<byte[]> names = AttributeCalls.List(fromFd, out int unlisted);
        PathErrors.ThrowIfFailed(IsUnknown(unlisted) ? 0 : unlisted, "Reading the attributes for", target);
        foreach (byte[] name in names)
        {
            if (IsHandledSeparately(name)
                || (!isSameContent && IsAboutContent(name))
                || (!includesUserAttributes && IsUserAttribute(name)))
            {
                continue;
            }

            if (AttributeCalls.Get(fromFd, name, out int unread) is not { } value)
            {
                PathErrors.ThrowIfFailed(IsUnknown(unread) ? 0 : unread, "Reading the attributes for", target);
                continue;
            }

            int result = AttributeCalls.Set(toFd, name, value);
            bool isLoss = IsLoss(result) && !(result == -Errno.ENOSPC && HasRoom(toFd));
            PathErrors.ThrowIfFailed(isLoss ? result : 0, "Setting the attributes of", target);
        }
    }

    /// <summary>
    /// Returns true if a disk is far from full. An attribute that does not fit is then larger than the file system allows (ext4: one block
    /// for all attributes of a file).
    /// </summary>
    private static bool HasRoom(int fd) => Libc.FreeBytes(fd) is > MinRoomBytes and < long.MaxValue;

    /// <summary>
    /// Returns true if an attribute is not copied with the others. Access control lists are copied separately, attributes of overlayfs
    /// describe its own layers, and a signature of the metadata (EVM) is valid for one file.
    /// </summary>
    private static bool IsHandledSeparately(ReadOnlySpan<byte> name) =>
        name.StartsWith("system.posix_acl_"u8)
        || name.StartsWith("trusted.overlay."u8)
        || name.StartsWith("user.overlay."u8)
        || name.SequenceEqual("security.evm\0"u8);

    private static bool IsAboutContent(ReadOnlySpan<byte> name) =>
        name.SequenceEqual(Capabilities) || name.SequenceEqual("security.ima\0"u8);

    private static bool IsUserAttribute(ReadOnlySpan<byte> name) => name.StartsWith("user."u8) || name.StartsWith("trusted."u8);

    /// <summary>
    /// Returns true if attributes cannot be read because they do not exist (any more) or the user may not read them. ENOENT is returned for
    /// the attributes of a link if there is no /proc.
    /// </summary>
    private static bool IsUnknown(int errno) =>
        HasNoList(errno) || errno is -Errno.EPERM or -Errno.EACCES or -Errno.ENOENT;

    private static bool IsLoss(int errno) => errno is -Errno.ENOSPC or -Errno.EDQUOT or -Errno.EIO or -Errno.EROFS;
}
