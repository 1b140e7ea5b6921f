using System.Runtime.Versioning;
using Sluice.Enumeration;
using Sluice.Errors;
using Sluice.Kernel;
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
    private readonly FileCopier _files = new(options, meter, cancellationToken);
    private readonly HardLinkCopier _hardLinks = new(options, failures, cancellationToken);
    private readonly long[] _bytesByMethod = new long[Enum.GetValues<CopyMethod>().Length];
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

    /// <inheritdoc cref="NodeCopier.AddHardLink"/>
    public void AddHardLink(in NodePath copied, in Statx copy, in NodePath to, bool mayExist) =>
        Note(_nodes.AddHardLink(copied, copy, to, mayExist));

    /// <summary>Copies the first of several hard links. Returns the state of the copy, or null if it is unknown.</summary>
    public Statx? CopyFirst(in NodePath from, in NodePath to, in Statx stat, bool mayExist)
    {
        if ((stat.Mode & Statx.TypeMask) == Statx.TypeRegular)
        {
            using Descriptor opened = FileCopier.OpenSource(from, followsLinks: false, mayBlock: true, out Statx now);
            return CopyFile(opened.Fd, now, from, to, mayExist);
        }

        CopyNode(from, to, stat, mayExist);
        return null;
    }

    /// <summary>Counts an entry without content.</summary>
    private void Note(bool isMade)
    {
        meter.AddFile(0);
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
            using Descriptor opened = FileCopier.OpenSource(from, followsLinks: false, mayBlock: true, out Statx stat);
            if (options.PreserveMetadata && stat.NLink > 1)
            {
                _hardLinks.Add(folder, name, stat);
            }
            else
            {
                _ = CopyFile(opened.Fd, stat, from, to, folder.MayHaveEntries);
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

    private Statx? CopyFile(int fromFd, in Statx stat, in NodePath from, in NodePath to, bool mayExist)
    {
        CopiedFile copied = _files.CopyTreeFile(fromFd, stat, from, to, mayExist);
        failures.AddRefusal(from.Text, copied.Refused);
        if (copied.Result is { UnchangedFiles: 0 } result)
        {
            failures.Count(result.Bytes);
            Interlocked.Add(ref _changedFiles, result.ChangedFiles);
            Interlocked.Add(ref _bytesByMethod[(int)result.Method], Math.Max(result.Bytes, 1));
        }

        return copied.Made;
    }
}
