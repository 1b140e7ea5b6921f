using Sluice.Diagnostics;

namespace Sluice.Cli.Bench.Files;

/// <summary>
/// Files in folders of a few hundred each, or in one folder. The first row that needs them creates them, and they are deleted at the end of
/// the run.
/// </summary>
internal sealed class FileTree
{
    private const int FilesPerFolder = 200;

    private FileTree(string root, string[] paths) => (Root, Paths) = (root, paths);

    public string Root { get; }

    public string[] Paths { get; }

    /// <exception cref="OperationCanceledException">
    /// The run was canceled. The files created so far are deleted with the folder of the run.
    /// </exception>
    public static FileTree Ensure(string root, int count, int sizeBytes, bool isFlat, CancellationToken cancellationToken)
    {
        string[] paths = [.. Enumerable.Range(0, count).Select(i => isFlat
            ? Path.Combine(root, $"file-{i}")
            : Path.Combine(root, $"{i / FilesPerFolder % 16}", $"{i / FilesPerFolder}", $"file-{i}"))];
        if (!Directory.Exists(root))
        {
            byte[] content = new byte[sizeBytes];
            new Random(42).NextBytes(content);
            foreach (string folder in paths.Select(p => Path.GetDirectoryName(p)!).Distinct(StringComparer.Ordinal))
                Directory.CreateDirectory(folder);
            foreach ((int i, string path) in paths.Index())
            {
                if (i % FilesPerFolder == 0)
                    cancellationToken.ThrowIfCancellationRequested();
                File.WriteAllBytes(path, content);
            }
            // Writes back the new files, so that their writeback does not slow down the first slice.
            Settling.FileSystemOf(root);
        }
        return new FileTree(root, paths);
    }

    /// <summary>Drops the pages of the files, which were flushed after their creation. Names and inodes stay in memory.</summary>
    public void Drop()
    {
        foreach (string path in Paths)
        {
            using SluiceHandle handle = SluiceHandle.Open(path);
            _ = PageCache.DropClean(handle.SafeFileHandle);
        }
    }
}
