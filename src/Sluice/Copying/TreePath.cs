namespace Sluice.Copying;

/// <summary>
/// A folder of a tree: its name, and the folder above it. All the folders of a deep tree share what is above them, which takes as much
/// memory as their names do. Immutable.
/// </summary>
internal sealed class TreePath
{
    private readonly TreePath? _above;
    private readonly byte[] _name;
    private readonly int _length;

    private TreePath(TreePath? above, byte[] name, int length) => (_above, _name, _length) = (above, name, length);

    /// <summary>The tree's own folder, which has no name here.</summary>
    public static TreePath Root { get; } = new(null, [], 0);

    public bool IsRoot => _above is null;

    /// <summary>The folder above one that is not the root.</summary>
    public TreePath Above => _above!;

    /// <summary>The folder's name, without a NUL; empty for the root.</summary>
    public ReadOnlySpan<byte> Name => _name;

    public TreePath Below(ReadOnlySpan<byte> name) =>
        new(this, name.ToArray(), IsRoot ? name.Length : checked(_length + 1 + name.Length));

    /// <summary>The path from the root, without a slash at either end.</summary>
    public byte[] ToBytes()
    {
        byte[] path = new byte[_length];
        int end = _length;
        for (TreePath at = this; at._above is { } above; at = above)
        {
            end -= at._name.Length;
            at._name.CopyTo(path, end);
            if (end > 0)
            {
                path[--end] = (byte)'/';
            }
        }

        return path;
    }
}
