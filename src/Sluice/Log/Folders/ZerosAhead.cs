using Sluice.Kernel;
using Sluice.Log.Frames;

namespace Sluice.Log.Folders;

/// <summary>
/// Writes zeros into the reserved space of a segment, ahead of its frames. The first write into reserved space changes the metadata of the
/// file, which every sync has to commit; over zeros that are on the disk, a sync writes only the frames. No zeros are written if syncs are
/// rare or frames are large, because the zeros would be most of the written data.
/// </summary>
/// <remarks>Used only by the thread that may write frames.</remarks>
internal sealed class ZerosAhead(SluiceHandle file)
{
    /// <summary>The minimum number of syncs that the zeros of one write must serve.</summary>
    private const int MinSyncs = 8;

    private static byte[]? s_zeros;

    /// <summary>The end of the zeros; -1 if no zeros are written any more.</summary>
    private long _end;

    /// <summary>The end of the reserved space; 0 until it is determined, and -1 if there is none.</summary>
    private long _reservedTo;

    /// <summary>The end of the frames at the last sync.</summary>
    private long _before = LogLayout.HeaderBytes;

    /// <summary>The end of the zeros; 0 if there are none.</summary>
    public long End => Math.Max(_end, 0);

    /// <summary>
    /// Writes more zeros if the existing ones do not suffice for another sync of the same size. Writes none for a large sync, and none from
    /// the end of the reserved space or a failure on: frames do not need zeros, and an error of the device is reported by the next write or
    /// sync.
    /// </summary>
    /// <param name="offset">The end of the frames that are to be synced.</param>
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

            // The zeros must not overwrite frames.
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
            // Any exception is ignored, also a file size limit (ArgumentOutOfRangeException in .NET) or a lack of memory: it must not fail
            // the sync.
            _end = -1;
        }
    }
}
