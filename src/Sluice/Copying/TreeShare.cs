namespace Sluice.Copying;

/// <summary>
/// Which entries of a tree are a shard's: told by a hash of their paths, the same on every machine and in every version.
/// </summary>
internal sealed class TreeShare(Shard shard)
{
    // FNV-1a of 64 bits, and the last steps of MurmurHash3, without which its low bits follow those of the last character.
    private const ulong Basis = 0xCBF29CE484222325;
    private const ulong Prime = 0x100000001B3;

    /// <summary>What the hashes of a folder's entries begin with.</summary>
    public static ulong Begin(TreePath folder) => folder.IsRoot ? Basis : Add(Add(Basis, folder.ToBytes()), "/"u8);

    /// <summary>Whether an entry is copied by this shard.</summary>
    /// <param name="folder">What <see cref="Begin"/> gave.</param>
    /// <param name="name">The entry's name, without a NUL.</param>
    public bool Has(ulong folder, ReadOnlySpan<byte> name) =>
        Mix(Add(folder, name)) % (ulong)shard.Count == (ulong)shard.Index;

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
