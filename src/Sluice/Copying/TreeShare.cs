using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// Which entries of a tree are a shard's: told by a hash of their paths, the same on every machine and in every version.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class TreeShare(Shard shard)
{
    // FNV-1a of 64 bits, and the last steps of MurmurHash3, without which its low bits follow those of the last character.
    private const ulong Basis = 0xCBF29CE484222325;
    private const ulong Prime = 0x100000001B3;

    /// <summary>The name, ended by a NUL, of the mark on folders that a shard has made.</summary>
    public static ReadOnlySpan<byte> Mark => "user.sluice.shard\0"u8;

    /// <summary>What the hashes of a folder's entries begin with.</summary>
    public static ulong Begin(TreePath folder) => folder.IsRoot ? Basis : Add(Add(Basis, folder.ToBytes()), "/"u8);

    /// <summary>Whether an entry is copied by this shard.</summary>
    /// <param name="folder">What <see cref="Begin"/> gave.</param>
    /// <param name="name">The entry's name, without a NUL.</param>
    public bool Has(ulong folder, ReadOnlySpan<byte> name) =>
        Mix(Add(folder, name)) % (ulong)shard.Count == (ulong)shard.Index;

    /// <summary>Looks at the target; a folder that several processes copy to is made by the first of them.</summary>
    /// <returns>0, or a negative errno: of <c>ENOENT</c> a new tree is made.</returns>
    public static int FindTarget(in Statx from, TargetLocation location, CopyOptions options, out Statx old)
    {
        string target = location.Path.Text;
        int found = NodeCalls.Stat(location.Path, followsLinks: false, StatxMask.BasicStats, out old);
        if (!options.IsShared)
        {
            return found;
        }

        if (found == -Errno.ENOENT && options.IsFinish)
        {
            throw new DirectoryNotFoundException($"Finishing the copy '{target}' failed: there is no such folder.");
        }

        if (found == -Errno.ENOENT && !location.IsInside(from))
        {
            int made = MakeFolder(location.Path, options, from);
            PathErrors.ThrowIfFailed(made == -Errno.EEXIST ? 0 : made, "Making the folder", target);
            found = NodeCalls.Stat(location.Path, followsLinks: false, StatxMask.BasicStats, out old);
        }

        if (found == 0)
        {
            location.ThrowIfPlanted(old, "Copying in shards to");
        }

        return found;
    }

    /// <summary>
    /// Makes a folder in which its owner may do everything until the copy's end; where metadata is kept, others than the owner come in when
    /// the folder is whole and has its owner. A folder that a shard has made, and from which the end is to take rights again, carries a
    /// mark; one that was there before carries none.
    /// </summary>
    /// <returns>0, or a negative errno.</returns>
    public static int MakeFolder(in NodePath path, CopyOptions options, in Statx from)
    {
        int result = NodeCalls.MakeDirectory(path, ModeBits.OwnerAll | (options.PreserveMetadata ? 0 : from.Mode & ModeBits.All));
        if (result == 0 && options.Shard is not null && !options.PreserveMetadata && IsRestricted(from))
        {
            using Descriptor made = new(PathCalls.Open(path, TreeRoot.FolderFlags));
            if (made.Fd >= 0 && IsOurs(made.Fd))
            {
                SetMark(made.Fd);
            }
        }

        return result;
    }

    /// <summary>Whether a folder's owner may not do everything in it.</summary>
    public static bool IsRestricted(in Statx from) => (from.Mode & ModeBits.OwnerAll) != ModeBits.OwnerAll;

    /// <summary>Where there are no such attributes the folder keeps what its owner needs now.</summary>
    public static void SetMark(int fd) => _ = AttributeCalls.Set(fd, Mark, [1]); // See above.

    /// <summary>Takes the mark off that <see cref="MakeFolder"/> has put on a folder; false where there is none.</summary>
    public static bool TakeMark(int fd) =>
        IsOurs(fd) && AttributeCalls.Get(fd, Mark, out _) is not null && AttributeCalls.Remove(fd, Mark) >= 0;

    private static bool IsOurs(int fd) =>
        Libc.Stat(fd, StatxMask.BasicStats, out Statx stat) == 0 && stat.Uid == NodeCalls.EffectiveUser;

    private static ulong Add(ulong hash, ReadOnlySpan<byte> bytes)
    {
        foreach (byte value in bytes)
        {
            hash = unchecked((hash ^ value) * Prime);
        }

        return hash;
    }

    private static ulong Mix(ulong hash)
    {
        hash = unchecked((hash ^ (hash >> 33)) * 0xFF51AFD7ED558CCD);
        hash = unchecked((hash ^ (hash >> 33)) * 0xC4CEB9FE1A85EC53);
        return hash ^ (hash >> 33);
    }
}
