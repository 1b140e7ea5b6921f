using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Interop;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>A new tree beside its target, under a temporary name that its maker keeps locked, to be renamed once it is whole.</summary>
[SupportedOSPlatform("linux")]
internal sealed class TemporaryFolder : IDisposable
{
    private const int MostCandidates = 64;
    private const uint OwnerAll = 0x1C0;

    private readonly int _fd;
    private bool _kept;

    private TemporaryFolder(string path, int fd, bool isKept)
    {
        Path = path;
        _fd = fd;
        _kept = isKept;
    }

    public string Path { get; }

    /// <param name="target">What the tree is to be called.</param>
    /// <param name="mode">Its permissions, subject to the umask; its owner may do everything in it for the time being.</param>
    /// <param name="resumes">Whether to go on in what an earlier copy left, and to leave what this one makes.</param>
    public static TemporaryFolder Create(string target, uint mode, bool resumes)
    {
        for (int candidate = 0; candidate < MostCandidates; candidate++)
        {
            string path = TemporaryFile.NameFor(target, candidate);
            byte[] kernelPath = PathCalls.ToKernel(path);
            int result = NodeCalls.MakeDirectory(kernelPath, mode | OwnerAll);
            if (result != -Errno.EEXIST)
            {
                PathErrors.ThrowIfFailed(result, "Making the temporary folder", path);
            }

            int fd = PathCalls.Open(kernelPath, PathCalls.ReadOnly | PathCalls.DirectoryFlag | PathCalls.NoFollowFlag);
            if (fd < 0)
            {
                continue;
            }

            // Exclusive first: a maker that is alive holds a lock. Another user's folder could be changed under our hands.
            if (NodeCalls.LockExclusivelyNow(fd) == 0 && IsOurs(fd))
            {
                if (result == -Errno.EEXIST && !resumes)
                {
                    Empty(path);
                }

                return new TemporaryFolder(path, fd, resumes);
            }

            PathCalls.Close(fd);
        }

        throw new IOException($"'{target}' is being made by {MostCandidates} others at this moment.");
    }

    public void RenameTo(string target)
    {
        byte[] kernelPath = PathCalls.ToKernel(Path);
        byte[] kernelTarget = PathCalls.ToKernel(target);
        int result = CopyCalls.RenameNew(kernelPath, kernelTarget);
        result = result is -Errno.EINVAL or -Errno.ENOSYS ? NodeCalls.Rename(kernelPath, kernelTarget) : result;
        PathErrors.ThrowIfFailed(result, "Naming the copy", target);
        _kept = true;
    }

    public void Dispose()
    {
        if (!_kept)
        {
            Directory.Delete(Path, recursive: true);
        }

        PathCalls.Close(_fd);
    }

    private static bool IsOurs(int fd) => Libc.Stat(fd, StatxMask.BasicStats, out Statx stat) == 0 && stat.Uid == NodeCalls.EffectiveUser;

    private static void Empty(string path)
    {
        foreach (string entry in Directory.EnumerateFileSystemEntries(path))
        {
            if (Directory.Exists(entry) && new FileInfo(entry).LinkTarget is null)
            {
                Directory.Delete(entry, recursive: true);
            }
            else
            {
                File.Delete(entry);
            }
        }
    }
}
