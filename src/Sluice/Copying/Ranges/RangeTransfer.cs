using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying.Ranges;

/// <summary>
/// Copies ranges of one version of a file into a file that others write too. Every block that is written was read, and then its source
/// was found to be that version still, and the copy to have no name yet: whoever is late, and wakes up when the source is another, or the
/// copy is in use, writes nothing. Blocks their thread.
/// </summary>
/// <param name="fromFd">The source.</param>
/// <param name="from">Its name.</param>
/// <param name="version">What it was when it was opened.</param>
/// <param name="part">The copy, which has its length and keeps it.</param>
/// <param name="target">Its path, for people.</param>
/// <param name="options">How.</param>
/// <param name="meter">Told of each block.</param>
/// <param name="cancellationToken">Ends the copy.</param>
[SupportedOSPlatform("linux")]
internal sealed class RangeTransfer(
    int fromFd,
    NodePath from,
    Statx version,
    PartFolder part,
    string target,
    CopyOptions options,
    CopyMeter meter,
    CancellationToken cancellationToken)
{
#if DEBUG
    private const int BlockBytes = 64 * 1024;
#else
    private const int BlockBytes = 1024 * 1024;
#endif

    private readonly int _blockBytes = (int)options.PieceBytes(BlockBytes);
    private readonly NodePath _from = from;
    private readonly Statx _version = version;
    private AlignedBuffer? _memory;

    /// <summary>The way by which the last range went.</summary>
    public CopyMethod Method { get; private set; }

    /// <summary>Copies one range to the disk.</summary>
    /// <param name="range">It begins at a multiple of <see cref="Tuning.CopySplitStepBytes"/>.</param>
    /// <param name="sharesBlocks">Whether the file system may do it by itself: the copy cannot get its name meanwhile.</param>
    public void Run(DataRange range, bool sharesBlocks)
    {
        long told = 0;
        int result = -Errno.EOPNOTSUPP;
        if (sharesBlocks && options.Method == CopyMethod.Auto)
        {
            result = CopyCalls.CloneRange(fromFd, part.File, range.Begin, range.End - range.Begin);
            Method = CopyMethod.Reflink;
        }

        (int source, int copy) = (DirectCopy.AlignmentOf(fromFd), DirectCopy.AlignmentOf(part.File));
        int alignment = source == 0 || copy == 0 ? 0 : Math.Max(source, copy);
        if (result != 0 && options.Method != CopyMethod.Buffered && alignment > 0 && _blockBytes % alignment == 0)
        {
            result = RunDirect(range, alignment, Count);
            Method = CopyMethod.Direct;
        }

        if (result is -Errno.EOPNOTSUPP or -Errno.EINVAL or -Errno.ENOSYS or -Errno.ENOTTY or -Errno.EXDEV
            && options.Method != CopyMethod.Direct)
        {
            Count(-told);
            result = RunBuffered(range, Count);
            Method = CopyMethod.Buffered;
        }

        // Where only holes were there was nothing to be asked about.
        result = result == 0 ? MayWrite() : result;
        result = result == 0 ? Libc.FlushData(part.File) : result;
        ThrowIfFailed(result);

        // Holes and shared blocks take no time. A last block that was there already may have been copied once more.
        long rest = range.End - range.Begin - told;
        meter.Add(rest);
        meter.TakeBack(Math.Max(-rest, 0));
        if (options.Verify)
        {
            ContentComparer.Verify(fromFd, _from.Text, part.File, target, range, cancellationToken);
        }

        void Count(long bytes)
        {
            told += bytes;
            meter.AddMoved(bytes, cancellationToken);
            meter.TakeBack(Math.Max(-bytes, 0));
        }
    }

    private void ThrowIfFailed(int result)
    {
        switch (result)
        {
            case CopyErrors.SourceEnded or CopyErrors.SourceChanged:
                throw SourceVersion.Changed(_from);
            case CopyErrors.CopyTaken:
                throw new IOException(
                    $"Copying '{_from.Text}' to '{target}' failed: another process has given the copy its name, or removed it.");
            case -Errno.ECANCELED when cancellationToken.IsCancellationRequested:
                throw new OperationCanceledException($"Copying '{_from.Text}' was cancelled.", cancellationToken);
            case -Errno.EOPNOTSUPP or -Errno.EINVAL when options.Method == CopyMethod.Direct:
                throw new IOException(
                    $"Copying '{_from.Text}' to '{target}' by {options.Method} is not possible here: {PathErrors.Reason(-result)}.");
            default:
                PathErrors.ThrowIfFailed(result, $"Copying '{_from.Text}' to", target);
                break;
        }
    }

    /// <summary>Whole blocks past the cache, and what is left of the file's last one through it: the copy never becomes longer.</summary>
    private int RunDirect(DataRange range, int alignment, Action<long> copied)
    {
        int fromFlags = Libc.GetFlags(fromFd) & ~PathCalls.NonBlocking;
        int toFlags = Libc.GetFlags(part.File);
        long end = range.End / alignment * alignment;
        int result = 0;
        try
        {
            if (Libc.SetFlags(fromFd, fromFlags | Libc.DirectFlag) < 0 || Libc.SetFlags(part.File, toFlags | Libc.DirectFlag) < 0)
            {
                return -Errno.EOPNOTSUPP;
            }

            foreach (DataRange data in DataRange.Find(fromFd, range.Begin, end, alignment, _from.Text))
            {
                // Direct writes into space that is there already run side by side; those that make their own may wait for each other.
                int room = part.Look();
                room = room < 0 ? room : SpaceCalls.Allocate(part.File, FallocateFlags.None, data.Begin, data.End - data.Begin);
                result = room is 0 or -Errno.EOPNOTSUPP or -Errno.ENOSYS ? Run(data, alignment, options.RequestsOutstanding, copied) : room;
                if (result < 0)
                {
                    return result;
                }
            }
        }
        finally
        {
            _ = Libc.SetFlags(fromFd, fromFlags);
            _ = Libc.SetFlags(part.File, toFlags);
        }

        return RunBuffered(new DataRange(Math.Max(end, range.Begin), range.End), copied);
    }

    /// <summary>One request at a time: threads that write one file through the page cache wait for each other.</summary>
    private int RunBuffered(DataRange range, Action<long> copied)
    {
        int result = 0;
        foreach (DataRange data in DataRange.Find(fromFd, range.Begin, range.End, 1, _from.Text))
        {
            result = result == 0 ? Run(data, alignment: 1, depth: 1, copied) : result;
        }

        return result;
    }

    private int Run(DataRange data, int alignment, int depth, Action<long> copied)
    {
        _memory ??= new AlignedBuffer(options.RequestsOutstanding * _blockBytes);
        return new CopyThreads(fromFd, part.File, _memory, alignment, (long)_version.Size, cancellationToken, MayWrite)
            .Run(data, depth, _blockBytes, copied);
    }

    /// <summary>Whether what was read is of that version, and the copy one that is written: 0, or a negative error.</summary>
    private int MayWrite() => SourceVersion.Look(_version, _from) is < 0 and int error ? error : part.Look();
}
