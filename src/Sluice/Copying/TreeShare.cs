namespace Sluice.Copying;

/// <summary>
/// Determines which entries of a tree belong to a shard, by a hash of their paths that is the same on every machine and in every version.
/// </summary>
internal sealed class TreeShare(Shard shard)
{
    // 64-bit FNV-1a with the finalizer of MurmurHash3. Without the finalizer, the low bits depend mostly on the last characters.
    private const ulong Basis = 0xCBF29CE484222325;
    private const ulong Prime = 0x100000001B3;

    /// <summary>Returns the initial hash for the entries of a directory.</summary>
    public static ulong Begin(TreePath folder) => folder.IsRoot ? Basis : Add(Add(Basis, folder.ToBytes()), "/"u8);

    /// <summary>Returns true if this shard copies an entry.</summary>
    /// <param name="folder">The result of <see cref="Begin"/>.</param>
    /// <param name="name">The name of the entry, without a terminating NUL.</param>
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
