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

    private readonly NodePath _path;
    private bool _kept;

    private TemporaryFolder(in NodePath path, int fd, bool isKept)
    {
        _path = path;
        Descriptor = fd;
        _kept = isKept;
    }

    public string Path => _path.Text;

    /// <summary>The folder, open until this is disposed of.</summary>
    public int Descriptor { get; }

    /// <param name="target">What the tree is to be called.</param>
    /// <param name="mode">Its permissions, subject to the umask; its owner may do everything in it for the time being.</param>
    /// <param name="resumes">Whether to go on in what an earlier copy left, and to leave what this one makes.</param>
    public static TemporaryFolder Create(in NodePath target, uint mode, bool resumes)
    {
        for (int candidate = 0; candidate < MostCandidates; candidate++)
        {
            NodePath path = TemporaryFile.NameFor(target, candidate);
            int result = NodeCalls.MakeDirectory(path, mode | OwnerAll);
            if (result != -Errno.EEXIST)
            {
                PathErrors.ThrowIfFailed(result, "Making the temporary folder", path.Text);
            }

            int fd = PathCalls.Open(path, TreeRoot.FolderFlags);
            if (fd < 0)
            {
                continue;
            }

            // Exclusive first: a maker that is alive holds a lock. Another user's folder could be changed under our hands.
            if (NodeCalls.LockExclusivelyNow(fd) == 0 && IsOurs(fd))
            {
                if (result == -Errno.EEXIST && !resumes)
                {
                    int removed = TreeRemoval.Empty(PathCalls.OpenAt(fd, ".\0"u8, TreeRoot.FolderFlags), path.Text);
                    if (removed < 0)
                    {
                        PathCalls.Close(fd);
                        throw PathErrors.Create(removed, "Removing what an earlier copy left,", path.Text);
                    }
                }

                return new TemporaryFolder(path, fd, resumes);
            }

            PathCalls.Close(fd);
        }

        throw new IOException($"'{target.Text}' is being made by {MostCandidates} others at this moment.");
    }

    public void RenameTo(in NodePath target)
    {
        int result = CopyCalls.RenameNew(_path, target);
        result = result is -Errno.EINVAL or -Errno.ENOSYS ? NodeCalls.Rename(_path, target) : result;
        PathErrors.ThrowIfFailed(result, "Naming the copy", target.Text);
        _kept = true;
    }

    public void Dispose()
    {
        if (!_kept)
        {
            // What cannot be removed now stays under a name that says what it is, and must not hide why the copy failed.
            _ = TreeRemoval.Remove(_path);
        }

        PathCalls.Close(Descriptor);
    }

    private static bool IsOurs(int fd) => Libc.Stat(fd, StatxMask.BasicStats, out Statx stat) == 0 && stat.Uid == NodeCalls.EffectiveUser;
}
