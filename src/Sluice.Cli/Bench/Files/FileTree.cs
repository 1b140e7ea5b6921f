using Sluice.Interop;

namespace Sluice.Cli.Bench.Files;

/// <summary>A row's own files in folders of a few hundred, or in one; gone when the row is over.</summary>
internal sealed class FileTree : IDisposable
{
    private const int FilesPerFolder = 200;

    public FileTree(string root, int count, int sizeBytes, bool isFlat)
    {
        Root = root;
        byte[] content = new byte[sizeBytes];
        new Random(42).NextBytes(content);
        Paths = new string[count];
        string folder = Directory.CreateDirectory(root).FullName;
        for (int i = 0; i < count; i++)
        {
            if (!isFlat && i % FilesPerFolder == 0)
                folder = Directory.CreateDirectory(Path.Combine(root, $"{i / FilesPerFolder % 16}", $"{i / FilesPerFolder}")).FullName;
            Paths[i] = Path.Combine(folder, $"file-{i}");
            File.WriteAllBytes(Paths[i], content);
        }
    }

    public string Root { get; }

    public string[] Paths { get; }

    /// <summary>Their pages; names and inodes stay in memory.</summary>
    public void Drop()
    {
        foreach (string path in Paths)
        {
            using SluiceHandle handle = SluiceHandle.Open(path);
            _ = PageCache.Drop(handle.SafeFileHandle);
        }
    }

    public void Dispose() => Directory.Delete(Root, recursive: true);
}
