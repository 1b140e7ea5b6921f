using System.Runtime.Versioning;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice.Handles;

/// <summary>
/// The owner, permissions and access control list of a copy when it is complete. A temporary file that has them may come from a copy that
/// was killed before it ended.
/// </summary>
/// <param name="Uid">The owner.</param>
/// <param name="Gid">The group.</param>
/// <param name="Mode">The permissions, with set-user-ID and set-group-ID.</param>
/// <param name="List">The access control list, or null if there is none.</param>
/// <param name="HasCapabilities">True if the file has capabilities.</param>
[SupportedOSPlatform("linux")]
internal readonly record struct FinalRights(uint Uid, uint Gid, uint Mode, byte[]? List, bool HasCapabilities = false)
{
    private const uint SetIds = 0xC00;
    private const uint OtherBits = 0x07;
    private const int GroupShift = 3;

    private bool IsPrivileged => (Mode & SetIds) != 0 || HasCapabilities;

    /// <summary>Returns the rights of a file whose metadata the copy preserves.</summary>
    public static FinalRights Of(int fd, in Statx stat) =>
        new(stat.Uid, stat.Gid, stat.Mode & ModeBits.All, NodeMetadata.AccessListOf(fd), NodeMetadata.HasCapabilities(fd));

    /// <summary>
    /// Returns true if a temporary file with this owner may come from this user: if it belongs to the user, or if the user is root and the
    /// file already has the owner of the copy. The latter is not accepted for a privileged copy, because the owner may still have the file
    /// open.
    /// </summary>
    public bool MayBelongTo(uint uid) =>
        uid == NodeCalls.EffectiveUser || (NodeCalls.EffectiveUser == 0 && uid == Uid && !IsPrivileged);

    /// <summary>Returns true if no other user had more permissions for the temporary file than for the copy.</summary>
    public bool Covers(int fd, in Statx left)
    {
        uint others = Mode & OtherBits;
        uint group = (Mode >> GroupShift) & (left.Gid == Gid ? OtherBits : others);
        return (left.Mode & ModeBits.GroupAndOthers & ~((group << GroupShift) | others)) == 0 && NodeMetadata.HasSameNames(fd, List);
    }
}
