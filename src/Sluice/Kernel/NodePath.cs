using System.Text;

namespace Sluice.Kernel;

/// <summary>
/// What a system call is told of a file: a name in a folder that is open, byte for byte, or a path. A name in an open folder leads
/// where it should though somebody renames the folders above it or puts links there, and however long their path is.
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

    /// <summary>The open folder, which stays the caller's, or <see cref="PathCalls.CurrentFolder"/>.</summary>
    public int FolderFd { get; }

    /// <inheritdoc cref="PathCalls.KernelFolder"/>
    public int KernelFolder => PathCalls.KernelFolder(FolderFd);

    /// <summary>Ends with a NUL.</summary>
    public byte[] Name { get; }

    /// <summary>The whole path, for people.</summary>
    public string Text => FolderFd == PathCalls.CurrentFolder ? _text : Path.Join(_text, Decode(Name.AsSpan(0, Name.Length - 1)));

    public static NodePath Of(string path) => new(PathCalls.CurrentFolder, PathCalls.ToKernel(path), path);

    /// <param name="folderFd">The open folder.</param>
    /// <param name="name">A name in it that ends with a NUL.</param>
    /// <param name="folderText">The folder's path, for people.</param>
    public static NodePath In(int folderFd, byte[] name, string folderText) => new(folderFd, name, folderText);

    /// <summary>Names as people see them; what is not UTF-8 becomes U+FFFD.</summary>
    public static string Decode(ReadOnlySpan<byte> name) => Encoding.UTF8.GetString(name);

    /// <summary>The last part of the name, without its NUL.</summary>
    public ReadOnlySpan<byte> Leaf
    {
        get
        {
            ReadOnlySpan<byte> name = Name.AsSpan(0, Name.Length - 1);
            return name[(name.LastIndexOf((byte)'/') + 1)..];
        }
    }

    /// <summary>Another name in the same folder, given without a NUL.</summary>
    public NodePath Beside(ReadOnlySpan<byte> leaf)
    {
        byte[] name = [.. Name.AsSpan(0, Name.Length - 1 - Leaf.Length), .. leaf, 0];
        bool isPath = FolderFd == PathCalls.CurrentFolder;
        return new NodePath(FolderFd, name, isPath ? Path.Join(Path.GetDirectoryName(_text), Decode(leaf)) : _text);
    }
}
