using System.Text;

namespace Sluice.Kernel;

/// <summary>
/// The argument of a system call on a name: a path, or a name relative to an open directory. The latter is independent of renames and links
/// in the path above the directory, and of the length of that path.
/// </summary>
internal readonly struct NodePath
{
    private readonly string _text;

    private NodePath(int folderFd, byte[] name, string text)
    {
        FolderFd = folderFd;
        Name = name;
        _text = text;
    }

    /// <summary>Gets the open directory, or <see cref="PathCalls.CurrentFolder"/>. This object does not own the directory.</summary>
    public int FolderFd { get; }

    /// <inheritdoc cref="PathCalls.KernelFolder"/>
    public int KernelFolder => PathCalls.KernelFolder(FolderFd);

    /// <summary>Gets the name with its terminating NUL.</summary>
    public byte[] Name { get; }

    /// <summary>Gets the full path as text, for messages.</summary>
    public string Text => FolderFd == PathCalls.CurrentFolder ? _text : Path.Join(_text, Decode(Name.AsSpan(0, Name.Length - 1)));

    public static NodePath Of(string path) => new(PathCalls.CurrentFolder, PathCalls.ToKernel(path), path);

    /// <param name="folderFd">The open directory.</param>
    /// <param name="name">A name in the directory, with a terminating NUL.</param>
    /// <param name="folderText">The path of the directory, for messages.</param>
    public static NodePath In(int folderFd, byte[] name, string folderText) => new(folderFd, name, folderText);

    /// <summary>Decodes a name for messages. Invalid UTF-8 becomes U+FFFD.</summary>
    public static string Decode(ReadOnlySpan<byte> name) => Encoding.UTF8.GetString(name);

    /// <summary>Gets the last component of the name, without the NUL.</summary>
    public ReadOnlySpan<byte> Leaf
    {
        get
        {
            ReadOnlySpan<byte> name = Name.AsSpan(0, Name.Length - 1);
            return name[(name.LastIndexOf((byte)'/') + 1)..];
        }
    }

    /// <summary>Returns another name in the same directory. <paramref name="leaf"/> has no NUL.</summary>
    public NodePath Beside(ReadOnlySpan<byte> leaf)
    {
        byte[] name = [.. Name.AsSpan(0, Name.Length - 1 - Leaf.Length), .. leaf, 0];
        bool isPath = FolderFd == PathCalls.CurrentFolder;
        return new NodePath(FolderFd, name, isPath ? Path.Join(Path.GetDirectoryName(_text), Decode(leaf)) : _text);
    }
}
