namespace Sluice.Copying;

/// <summary>
/// The path of a directory in a tree: its name and its parent. Directories of a deep tree share the paths of their parents. Immutable.
/// </summary>
internal sealed class TreePath
{
    private readonly TreePath? _above;
    private readonly byte[] _name;
    private readonly int _length;

    private TreePath(TreePath? above, byte[] name, int length) => (_above, _name, _length) = (above, name, length);

    /// <summary>The root of the tree, whose name is empty.</summary>
    public static TreePath Root { get; } = new(null, [], 0);

    public bool IsRoot => _above is null;

    /// <summary>Gets the parent of a directory that is not the root.</summary>
    public TreePath Above => _above!;

    /// <summary>Gets the name of the directory without a terminating NUL. It is empty for the root.</summary>
    public ReadOnlySpan<byte> Name => _name;

    public TreePath Below(ReadOnlySpan<byte> name) =>
        new(this, name.ToArray(), IsRoot ? name.Length : checked(_length + 1 + name.Length));

    /// <summary>Returns the path relative to the root, without a slash at either end.</summary>
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
