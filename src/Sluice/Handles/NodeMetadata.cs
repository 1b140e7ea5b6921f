using System.Buffers.Binary;
using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Handles;

/// <summary>
/// Owner, access lists, extended attributes, permissions and times of one open node for another, so that nobody may do afterwards what they
/// could not before. Descriptors may be of O_PATH.
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
    /// Bytes free from which on a disk is far from full: what finds no space then is too large by itself. No measurement.
    /// </summary>
    private const long MinRoomBytes = 16 << 20;

    // struct posix_acl_xattr_header, then struct posix_acl_xattr_entry for each: tag, permissions, number.
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
    /// All but the times, as far as this user may: as cp -a. What cannot be kept takes with it the rights that went with it.
    /// </summary>
    /// <returns>What the file system has refused, of owner (which only root may always set) and permissions; null: nothing.</returns>
    /// <param name="fromFd">The one.</param>
    /// <param name="from">What is known of it.</param>
    /// <param name="toFd">The other.</param>
    /// <param name="target">Its name, for messages.</param>
    /// <param name="isSameContent">
    /// Whether it has the same bytes. If not, signatures and privileges stay behind, and what users have noted (sums, types, origins) too,
    /// since nobody knows whether it is about them.
    /// </param>
    /// <param name="reportsOwner">False if a refused owner is no error.</param>
    public static Exception? Preserve(int fromFd, in Statx from, int toFd, string target, bool isSameContent = true, bool reportsOwner = true)
    {
        PathErrors.ThrowIfFailed(Libc.Stat(toFd, StatxMask.BasicStats, out Statx made), "Looking at", target);
        bool hasUser = made.Uid == from.Uid;
        bool hasGroup = made.Gid == from.Gid;
        Exception? refused = null;
        if (!hasUser || !hasGroup)
        {
            int owned = NodeCalls.SetOwner(toFd, from.Uid, from.Gid);
            bool isNotAllowed = owned is -Errno.EPERM or -Errno.EINVAL && NodeCalls.EffectiveUser != 0;
            refused = isNotAllowed || !reportsOwner ? null : Refusal(owned, "Keeping the owner of", target);
            hasUser |= owned == 0;
            hasGroup |= owned == 0 || NodeCalls.SetOwner(toFd, NodeCalls.AsItIs, from.Gid) == 0;
        }

        CopyAttributes(fromFd, toFd, isSameContent: hasUser && isSameContent, target, hasNotes: isSameContent);
        if ((from.Mode & Statx.TypeMask) != Statx.TypeLink)
        {
            uint mode = from.Mode & ModeBits.All & (hasUser ? ~0u : ~SetUser) & (hasGroup ? ~0u : ~SetGroup);
            mode = CopyLists(fromFd, toFd, (from.Mode & Statx.TypeMask) == Statx.TypeDirectory, mode, hasGroup, target);
            // A file system that gives all files the same ones lets nobody but their owner set them (EPERM).
            int result = NodeCalls.SetMode(toFd, mode);
            result = result == -Errno.EPERM && HasMode(toFd, mode) ? 0 : result;
            refused ??= Refusal(result, "Setting the permissions of", target);
        }

        return refused;
    }

    /// <summary>Times of last access and modification. Returns what the file system has refused; null: nothing.</summary>
    public static Exception? SetTimes(int fd, in Statx from, string target) =>
        Refusal(NodeCalls.SetTimes(fd, from), "Setting the times of", target);

    /// <summary>
    /// What a file that is replaced leaves to its successor: owner, lists, attributes, and the permissions that are given. Its privileges
    /// (set-user-ID, capabilities, signatures) were for the old content and go.
    /// </summary>
    public static void Inherit(int oldFd, in Statx old, int toFd, uint mode, bool mustHaveOwner, string target)
    {
        PathErrors.ThrowIfFailed(Libc.Stat(toFd, StatxMask.BasicStats, out Statx made), "Looking at", target);
        bool hasGroup = made.Gid == old.Gid;
        if (made.Uid != old.Uid || !hasGroup)
        {
            int owned = NodeCalls.SetOwner(toFd, old.Uid, old.Gid);
            PathErrors.ThrowIfFailed(mustHaveOwner ? owned : 0, "Keeping the owner of", target);
            hasGroup |= owned == 0 || NodeCalls.SetOwner(toFd, NodeCalls.AsItIs, old.Gid) == 0;
        }

        CopyAttributes(oldFd, toFd, isSameContent: false, target);
        mode = CopyLists(oldFd, toFd, isFolder: false, mode & ~(SetUser | SetGroup), hasGroup, target);
        // Where permissions cannot be set (EPERM), the file system gives all files the same ones: the old file and the new one have them.
        int result = NodeCalls.SetMode(toFd, mode);
        result = result == -Errno.EPERM && HasMode(toFd, old.Mode & ModeBits.All) ? 0 : result;
        PathErrors.ThrowIfFailed(result, "Keeping the permissions of", target);
    }

    /// <summary>
    /// Permissions of what is made anew. A file system that gives rights of its own choice, to files that belong to others than their
    /// makers (EPERM), does as it likes, as with File.Copy. Returns what it has refused otherwise; null: nothing.
    /// </summary>
    public static Exception? SetPlainMode(int fd, uint mode, string target) =>
        HasMode(fd, mode) ? null : Refusal(Allowed(NodeCalls.SetMode(fd, mode)), "Setting the permissions of", target);

    /// <summary>Times of what is made anew, where they may be set.</summary>
    /// <inheritdoc cref="SetPlainMode"/>
    public static Exception? SetPlainTimes(int fd, in Statx from, string target) =>
        Refusal(Allowed(NodeCalls.SetTimes(fd, from)), "Setting the times of", target);

    private static Exception? Refusal(int result, string verb, string target) =>
        result < 0 ? PathErrors.Create(result, verb, target) : null;

    private static int Allowed(int result) => result == -Errno.EPERM ? 0 : result;

    private static bool HasMode(int fd, uint mode) =>
        Libc.Stat(fd, StatxMask.BasicStats, out Statx stat) == 0 && (stat.Mode & ModeBits.All) == mode;

    /// <summary>The access list that a node has; null where it has none.</summary>
    public static byte[]? ListOf(int fd) => AttributeCalls.Get(fd, AccessList, out _);

    /// <summary>Whether a file runs with capabilities of its own.</summary>
    public static bool HasCapabilities(int fd) => AttributeCalls.Get(fd, Capabilities, out _) is not null;

    /// <summary>The access list that begins what is made in a folder; null where there is none.</summary>
    public static byte[]? DefaultListOf(int folderFd) => AttributeCalls.Get(folderFd, DefaultList, out _);

    /// <summary>
    /// Whether a node's access list gives nobody by name what the other one does not; false where it is not told. What owner, others and
    /// all who are named may do at most follows the mode.
    /// </summary>
    public static bool HasNamesOf(int fd, ReadOnlySpan<byte> other)
    {
        if (AttributeCalls.Get(fd, AccessList, out int errno) is not { } list)
        {
            return HasNoList(errno);
        }

        bool isSame = list.Length == other.Length;
        for (int at = ListHeaderBytes; isSame && at + ListEntryBytes <= list.Length; at += ListEntryBytes)
        {
            ReadOnlySpan<byte> entry = list.AsSpan(at, ListEntryBytes);
            isSame = entry.SequenceEqual(other.Slice(at, ListEntryBytes))
                || (BinaryPrimitives.ReadUInt16LittleEndian(entry) is not (ListUser or ListOwnGroup or ListGroup)
                    && entry[..2].SequenceEqual(other.Slice(at, 2)));
        }

        return isSame;
    }

    /// <summary>
    /// The permissions of a plain copy. Where an access list gives more to others than to the file's group, the mode shows that group more
    /// than it has; where it is not known whether there is a list, the group gets no more than everybody.
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
    /// Access lists, and the mode that goes with what came of them. What is not the source's is taken off: a folder's default.
    /// </summary>
    private static uint CopyLists(int fromFd, int toFd, bool isFolder, uint mode, bool hasGroup, string target)
    {
        if (isFolder)
        {
            byte[]? defaults = AttributeCalls.Get(fromFd, DefaultList, out int untold);
            if (defaults is null && !HasNoList(untold))
            {
                throw PathErrors.Create(untold, "Reading the default access list for", target);
            }

            if (defaults is null || AttributeCalls.Set(toFd, DefaultList, defaults) < 0)
            {
                TakeOff(toFd, DefaultList, target);
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

        TakeOff(toFd, AccessList, target);
        mode = list is null ? mode : WithoutList(mode, list);

        // Another group than the source's may do no more than everybody, of whom the source's group is part now.
        uint both = mode & (mode >> GroupShift) & OtherBits;
        return hasGroup ? mode : (mode & ~(GroupBits | OtherBits)) | (both << GroupShift) | both;
    }

    /// <summary>Whether an access list that cannot be had is one that is not there.</summary>
    private static bool HasNoList(int errno) => errno is -Errno.ENODATA or -Errno.EOPNOTSUPP or -Errno.ENOSYS;

    private static void TakeOff(int fd, ReadOnlySpan<byte> list, string target)
    {
        // One of which nothing is told may be there: it is taken off, too.
        if (AttributeCalls.Get(fd, list, out int errno) is not null || !HasNoList(errno))
        {
            int result = AttributeCalls.Remove(fd, list);
            PathErrors.ThrowIfFailed(HasNoList(result) ? 0 : result, "Taking the access list off", target);
        }
    }

    /// <summary>
    /// A mode in which the group has what the list gave the file's own group, and not the list's mask. Without the list whoever is named in
    /// it is one of the group or of the others, and these get no more than he had.
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

    /// <summary>Extended attributes. What this user may not read, and what the target may not have, is left out.</summary>
    private static void CopyAttributes(int fromFd, int toFd, bool isSameContent, string target, bool hasNotes = true)
    {
        List<byte[]> names = AttributeCalls.List(fromFd, out int unlisted);
        PathErrors.ThrowIfFailed(IsUnknown(unlisted) ? 0 : unlisted, "Reading the attributes for", target);
        foreach (byte[] name in names)
        {
            if (IsOwnMatter(name) || (!isSameContent && IsAboutContent(name)) || (!hasNotes && IsNote(name)))
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
    /// Whether a disk is far from full: what does not fit then is more than a file of this file system may have (ext4: one block for all
    /// its attributes).
    /// </summary>
    private static bool HasRoom(int fd) => Libc.FreeBytes(fd) is > MinRoomBytes and < long.MaxValue;

    /// <summary>Access lists have their own way; an overlay's notes are about its own layers.</summary>
    private static bool IsOwnMatter(ReadOnlySpan<byte> name) =>
        name.StartsWith("system.posix_acl_"u8)
        || name.StartsWith("trusted.overlay."u8)
        || name.StartsWith("user.overlay."u8)
        || name.SequenceEqual("security.evm\0"u8);

    private static bool IsAboutContent(ReadOnlySpan<byte> name) =>
        name.SequenceEqual(Capabilities) || name.SequenceEqual("security.ima\0"u8);

    private static bool IsNote(ReadOnlySpan<byte> name) => name.StartsWith("user."u8) || name.StartsWith("trusted."u8);

    /// <summary>
    /// Whether attributes that cannot be read are not there (any more), or not for this user. ENOENT: a link's, of which nothing is told
    /// without /proc.
    /// </summary>
    private static bool IsUnknown(int errno) =>
        HasNoList(errno) || errno is -Errno.EPERM or -Errno.EACCES or -Errno.ENOENT;

    private static bool IsLoss(int errno) => errno is -Errno.ENOSPC or -Errno.EDQUOT or -Errno.EIO or -Errno.EROFS;
}
