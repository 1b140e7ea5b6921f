using Sluice.Kernel;
using Sluice.Log.Frames;

namespace Sluice.Log.Folders;

/// <summary>
/// Zeros in the reserved space of a segment, ahead of its frames. The first write into reserved space changes the file's metadata, which
/// every sync has to commit; over zeros that are on the disk a sync writes the frames alone. Where syncs are rare, or frames large, there
/// are none: they would be most of what is written.
/// </summary>
/// <remarks>For who may write frames; nobody else writes meanwhile.</remarks>
internal sealed class ZerosAhead(SluiceHandle file)
{
    /// <summary>So many syncs at least have zeros of one write.</summary>
    private const int MinSyncs = 8;

    private static byte[]? s_zeros;

    /// <summary>Where the zeros end; -1 where there are to be none.</summary>
    private long _end;

    /// <summary>Where the reserved space ends; 0 while that was not looked at.</summary>
    private long _reservedTo;

    /// <summary>Where frames ended at the last sync.</summary>
    private long _before = LogLayout.HeaderBytes;

    /// <summary>Where they end; 0 where there are none.</summary>
    public long End => Math.Max(_end, 0);

    /// <summary>
    /// Writes the next zeros, if the frames come near the end of the last. Where that fails there are none any more: frames need no zeros,
    /// and whoever writes or syncs them hears of the device.
    /// </summary>
    /// <param name="offset">Where the frames end that are to be synced.</param>
    public void Write(long offset)
    {
        long bytesOfSync = offset - _before;
        _before = offset;
        if (_end < 0 || bytesOfSync * MinSyncs > Tuning.LogZeroBytes || offset + bytesOfSync <= _end)
        {
            return;
        }

        try
        {
            if (_reservedTo == 0)
            {
                _reservedTo = file.HasUnwrittenExtents ? file.Length : -1;
            }

            // Never before the end of the frames.
            long from = Math.Max(offset, _end);
            int bytes = (int)Math.Min(Tuning.LogZeroBytes, _reservedTo - from);
            if (bytes <= 0)
            {
                _end = -1;
                return;
            }

            file.Write((s_zeros ??= new byte[Tuning.LogZeroBytes]).AsSpan(0, bytes), from);
            _end = from + bytes;
        }
        catch
        {
            // Of whatever kind: a limit of the files' sizes, which is an argument out of range for .NET, or a want of memory ends nobody's
            // sync.
            _end = -1;
        }
    }
}
