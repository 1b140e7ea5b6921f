using System.Runtime.Versioning;
using Sluice.Enumeration;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// Copies the entries of a tree. A new file is created at its name, and an existing one is replaced as in the copy of a single file.
/// Thread-safe.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class TreeEntryCopier(
    CopyOptions options, CopyMeter meter, CopyFailures failures, CancellationToken cancellationToken)
{
    private readonly NodeCopier _nodes = new(options, failures);
    private readonly NewFileCopier _newFiles = new(options, meter, cancellationToken);
    private readonly Lock _lock = new();
    private readonly HardLinkCopier _hardLinks = new(options, failures, cancellationToken);
    private readonly long[] _bytesByMethod = new long[Enum.GetValues<CopyMethod>().Length];
    private int _depth;
    private int _changedFiles;

    public CopyResult Result()
    {
        long[] bytes = _bytesByMethod;
        CopyMethod most = (CopyMethod)Array.IndexOf(bytes, bytes.Max());
        return new CopyResult
        {
            Bytes = meter.Bytes,
            Files = meter.Files,
            ChangedFiles = _changedFiles,
            UnchangedFiles = meter.UnchangedFiles,
            Method = most == CopyMethod.Auto ? CopyMethod.Buffered : most,
            MethodReason = options.Method == CopyMethod.Auto ? "each file by what is cheapest for it" : "it was asked for",
            Depth = most == CopyMethod.Direct ? _depth : 0,
        };
    }

    /// <summary>Copies a group. Throws only exceptions that end the whole copy.</summary>
    public void Copy(TreeGroup group)
    {
        foreach ((byte[] name, byte type) in group.Entries)
        {
            cancellationToken.ThrowIfCancellationRequested();
            try
            {
                CopyEntry(group.Folder, name, type);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                failures.Add(group.Folder.From(name).Text, e);
            }
        }
    }

    /// <inheritdoc cref="HardLinkCopier.Copy"/>
    public void CopyHardLinks(TreeRoot fromRoot, TreeRoot toRoot) => _hardLinks.Copy(fromRoot, toRoot, this);

    /// <summary>Copies a symbolic link as a link.</summary>
    public void CopyLink(in NodePath from, in NodePath to, bool mayExist) => Note(_nodes.CopyLink(from, to, mayExist));

    /// <inheritdoc cref="NodeCopier.AddName"/>
    public void AddName(in NodePath copied, in Statx copy, in NodePath to, bool mayExist) =>
        Note(_nodes.AddName(copied, copy, to, mayExist));

    /// <summary>Copies the first of several hard links. Returns the state of the copy, or null if it is unknown.</summary>
    public Statx? CopyFirst(in NodePath from, in NodePath to, in Statx stat, bool mayExist)
    {
        if ((stat.Mode & Statx.TypeMask) == Statx.TypeRegular)
        {
            return CopyAlone(from, to, mayExist);
        }

        CopyNode(from, to, stat, mayExist);
        return null;
    }

    /// <summary>Counts an entry without content.</summary>
    private void Note(bool isMade)
    {
        meter.Find(0);
        if (isMade)
        {
            meter.EndFile();
        }
        else
        {
            meter.EndUnchanged();
        }
    }

    private void CopyEntry(TreeFolder folder, byte[] name, byte type)
    {
        (NodePath from, NodePath to) = (folder.From(name), folder.To(name));
        if (type == DirectoryReader.TypeFile)
        {
            using Descriptor opened = FileCopier.OpenSource(from, followsLinks: false, out Statx stat);
            if (options.PreserveMetadata && stat.NLink > 1)
            {
                _hardLinks.Add(folder, name, stat);
            }
            else
            {
                CopyFile(opened.Fd, stat, from, to, folder.MayHaveEntries);
            }

            return;
        }

        // Links, FIFOs, sockets and devices are created anew, as with cp -r. Nothing is opened.
        PathErrors.ThrowIfFailed(
            NodeCalls.Stat(from, followsLinks: false, StatxMask.BasicStats, out Statx node), "Looking at the source", from.Text);
        if ((node.Mode & Statx.TypeMask) is Statx.TypeRegular or Statx.TypeDirectory)
        {
            throw new IOException($"Copying '{from.Text}' failed: it was replaced in the meantime.");
        }

        if (options.PreserveMetadata && node.NLink > 1)
        {
            _hardLinks.Add(folder, name, node);
        }
        else
        {
            CopyNode(from, to, node, folder.MayHaveEntries);
        }
    }

    private void CopyNode(in NodePath from, in NodePath to, in Statx stat, bool mayExist) =>
        Note((stat.Mode & Statx.TypeMask) == Statx.TypeLink
            ? _nodes.CopyLink(from, to, mayExist)
            : _nodes.MakeNode(from, to, stat, mayExist));

    /// <summary>Copies a file with a temporary name and all checks of the target, as a single file.</summary>
    private Statx? CopyAlone(in NodePath from, in NodePath to, bool mayExist)
    {
        FileCopier alone = new(options, meter, cancellationToken) { FollowsLinks = false, MayExist = mayExist };
        CopyResult result = alone.Copy(from, to);
        failures.AddRefusal(from.Text, alone.Refused);
        if (result.UnchangedFiles == 0)
        {
            Book(result);
        }

        return alone.Made;
    }

    private void CopyFile(int fromFd, in Statx stat, in NodePath from, in NodePath to, bool mayExist)
    {
        if (_newFiles.TryCopy(fromFd, stat, from, to, out Exception? refused) is { } result)
        {
            failures.AddRefusal(from.Text, refused);
            Book(result);
        }
        else if (mayExist)
        {
            _ = CopyAlone(from, to, mayExist);
        }
        else
        {
            throw PathErrors.Create(-Errno.EEXIST, $"Copying '{from.Text}' to", to.Text);
        }
    }

    private void Book(CopyResult file)
    {
        failures.Count(file.Bytes);
        Interlocked.Add(ref _changedFiles, file.ChangedFiles);
        Interlocked.Add(ref _bytesByMethod[(int)file.Method], Math.Max(file.Bytes, 1));
        lock (_lock)
        {
            _depth = Math.Max(_depth, file.Depth);
        }
    }
}
