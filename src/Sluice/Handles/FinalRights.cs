using System.Runtime.Versioning;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice.Handles;

/// <summary>
/// Owner, permissions and access list that a copy has when it is whole, and a moment before: a copy that was killed then is known by them.
/// </summary>
/// <param name="Uid">Its owner.</param>
/// <param name="Gid">Its group.</param>
/// <param name="Mode">Permissions, with set-user-ID and set-group-ID.</param>
/// <param name="List">The access list whose names it has; null for none.</param>
/// <param name="HasCapabilities">Whether it runs with capabilities of its own.</param>
[SupportedOSPlatform("linux")]
internal readonly record struct FinalRights(uint Uid, uint Gid, uint Mode, byte[]? List, bool HasCapabilities = false)
{
    private const uint SetIds = 0xC00;
    private const uint OtherBits = 0x07;
    private const int GroupShift = 3;

    private bool IsPrivileged => (Mode & SetIds) != 0 || HasCapabilities;

    /// <summary>Owner, permissions, access list and capabilities of a file, to be all its copy's.</summary>
    public static FinalRights Of(int fd, in Statx stat) =>
        new(stat.Uid, stat.Gid, stat.Mode & ModeBits.All, NodeMetadata.ListOf(fd), NodeMetadata.HasCapabilities(fd));

    /// <summary>
    /// Whether a leftover of that owner may be this user's work: its own, or, of root, one that was given away already. Who owns it may
    /// have it open, and will own the copy; but what runs with rights of its own is not made from it.
    /// </summary>
    public bool MayBeOf(uint uid) =>
        uid == NodeCalls.EffectiveUser || (NodeCalls.EffectiveUser == 0 && uid == Uid && !IsPrivileged);

    /// <summary>Whether nobody else may do with a leftover, which they may have open, what they may not do with the copy.</summary>
    public bool Cover(int fd, in Statx left)
    {
        uint others = Mode & OtherBits;
        uint group = (Mode >> GroupShift) & (left.Gid == Gid ? OtherBits : others);
        return (left.Mode & ModeBits.GroupAndOthers & ~((group << GroupShift) | others)) == 0 && NodeMetadata.HasNamesOf(fd, List);
    }
}
